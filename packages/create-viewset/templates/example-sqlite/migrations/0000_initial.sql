CREATE TABLE `authors` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` text,
	`updated_by_id` text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`name` text(100) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `authors_name_unique` ON `authors` (`name`);--> statement-breakpoint
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
	`author_id` uuid text NOT NULL,
	`price` decimal(8, 2),
	`published_on` date,
	FOREIGN KEY (`author_id`) REFERENCES `authors`(`id`) ON UPDATE no action ON DELETE restrict
);
--> statement-breakpoint
CREATE UNIQUE INDEX `books_isbn_unique` ON `books` (`isbn`);--> statement-breakpoint
CREATE INDEX `books_title_id_index` ON `books` (`title`,`id`);--> statement-breakpoint
CREATE INDEX `books_author_id_index` ON `books` (`author_id`);