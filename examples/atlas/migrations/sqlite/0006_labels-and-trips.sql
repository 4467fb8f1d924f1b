CREATE TABLE `labels` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` uuid text,
	`updated_by_id` uuid text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`slug` text(60) NOT NULL,
	`name` text(50) NOT NULL,
	FOREIGN KEY (`created_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`updated_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `labels_slug_unique` ON `labels` (`slug`) WHERE "labels"."is_active" = 1;--> statement-breakpoint
CREATE TABLE `stops` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`trip_id` uuid text NOT NULL,
	`city_id` uuid text NOT NULL,
	`position` integer NOT NULL,
	`nights` integer DEFAULT 1 NOT NULL,
	`note` text(500),
	FOREIGN KEY (`trip_id`) REFERENCES `trips`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`city_id`) REFERENCES `cities`(`id`) ON UPDATE no action ON DELETE restrict
);
--> statement-breakpoint
CREATE INDEX `stops_city_id_index` ON `stops` (`city_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `stops_trip_id_position_unique` ON `stops` (`trip_id`,`position`);--> statement-breakpoint
CREATE TABLE `trip_labels` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`trip_id` uuid text NOT NULL,
	`label_id` uuid text NOT NULL,
	FOREIGN KEY (`trip_id`) REFERENCES `trips`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`label_id`) REFERENCES `labels`(`id`) ON UPDATE no action ON DELETE restrict
);
--> statement-breakpoint
CREATE INDEX `trip_labels_label_id_index` ON `trip_labels` (`label_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `trip_labels_trip_id_label_id_unique` ON `trip_labels` (`trip_id`,`label_id`);--> statement-breakpoint
CREATE TABLE `trips` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` uuid text,
	`updated_by_id` uuid text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`title` text(100) NOT NULL,
	`status` text DEFAULT 'planned' NOT NULL,
	`starts_on` date,
	`ends_on` date,
	`version` bigint DEFAULT 0 NOT NULL,
	FOREIGN KEY (`created_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`updated_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "trips_status_check" CHECK("trips"."status" in ('planned', 'under_way', 'done'))
);
--> statement-breakpoint
CREATE INDEX `trips_created_by_id_starts_on_index` ON `trips` (`created_by_id`,`starts_on`);--> statement-breakpoint
CREATE TABLE `trips_history` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`record` text NOT NULL,
	`action` text NOT NULL,
	`source` text,
	`at` datetime NOT NULL,
	`user` text,
	`reason` text,
	`request_id` text,
	`job` uuid text,
	`rows` text,
	`fixed` text,
	`before` text,
	`after` text,
	CONSTRAINT "trips_history_action_check" CHECK("trips_history"."action" in ('create', 'update', 'delete', 'soft_delete', 'restore'))
);
--> statement-breakpoint
CREATE INDEX `trips_history_record_id_index` ON `trips_history` (`record`,`id`);--> statement-breakpoint
CREATE INDEX `trips_history_job_id_index` ON `trips_history` (`job`,`id`);--> statement-breakpoint
CREATE TABLE `visit_labels` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`visit_id` uuid text NOT NULL,
	`label_id` uuid text NOT NULL,
	FOREIGN KEY (`visit_id`) REFERENCES `visits`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`label_id`) REFERENCES `labels`(`id`) ON UPDATE no action ON DELETE restrict
);
--> statement-breakpoint
CREATE INDEX `visit_labels_label_id_index` ON `visit_labels` (`label_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `visit_labels_visit_id_label_id_unique` ON `visit_labels` (`visit_id`,`label_id`);