CREATE TABLE `books` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` text,
	`updated_by_id` text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`isbn` text(13) NOT NULL,
	`title` text(200) NOT NULL,
	`author` text(100) NOT NULL,
	`price` decimal(8, 2)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `books_isbn_unique` ON `books` (`isbn`);