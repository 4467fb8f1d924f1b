CREATE TABLE `cities` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` uuid text,
	`updated_by_id` uuid text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`name` text(200) NOT NULL,
	`latitude` decimal(8, 5) NOT NULL,
	`longitude` decimal(8, 5) NOT NULL,
	`country_id` uuid text NOT NULL,
	`region_id` uuid text,
	FOREIGN KEY (`created_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`updated_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`country_id`) REFERENCES `countries`(`id`) ON UPDATE no action ON DELETE restrict,
	FOREIGN KEY (`region_id`) REFERENCES `regions`(`id`) ON UPDATE no action ON DELETE restrict
);
--> statement-breakpoint
CREATE INDEX `cities_name_id_index` ON `cities` (`name`,`id`);--> statement-breakpoint
CREATE INDEX `cities_country_id_index` ON `cities` (`country_id`);--> statement-breakpoint
CREATE INDEX `cities_region_id_index` ON `cities` (`region_id`);--> statement-breakpoint
CREATE TABLE `continents` (
	`code` text(2) PRIMARY KEY NOT NULL,
	`name` text(50) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `countries` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` uuid text,
	`updated_by_id` uuid text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`code` text(2) NOT NULL,
	`name` text(100) NOT NULL,
	`native_name` text(100) NOT NULL,
	`capital` text(100),
	`continent_id` text(2) NOT NULL,
	`phone_prefixes` text NOT NULL,
	`currencies` text NOT NULL,
	`languages` text NOT NULL,
	FOREIGN KEY (`created_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`updated_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`continent_id`) REFERENCES `continents`(`code`) ON UPDATE no action ON DELETE restrict
);
--> statement-breakpoint
CREATE UNIQUE INDEX `countries_code_unique` ON `countries` (`code`);--> statement-breakpoint
CREATE INDEX `countries_name_id_index` ON `countries` (`name`,`id`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` uuid text,
	`updated_by_id` uuid text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`name` text(200) NOT NULL,
	`kind` text NOT NULL,
	`happened_at` datetime NOT NULL,
	`city_id` uuid text NOT NULL,
	FOREIGN KEY (`created_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`updated_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`city_id`) REFERENCES `cities`(`id`) ON UPDATE no action ON DELETE restrict,
	CONSTRAINT "events_kind_check" CHECK("events"."kind" in ('concert', 'festival', 'market', 'match', 'other'))
);
--> statement-breakpoint
CREATE INDEX `events_happened_at_id_index` ON `events` (`happened_at`,`id`);--> statement-breakpoint
CREATE INDEX `events_city_id_index` ON `events` (`city_id`);--> statement-breakpoint
CREATE TABLE `regions` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` uuid text,
	`updated_by_id` uuid text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`code` text(20) NOT NULL,
	`name` text(100) NOT NULL,
	`country_id` uuid text NOT NULL,
	FOREIGN KEY (`created_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`updated_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`country_id`) REFERENCES `countries`(`id`) ON UPDATE no action ON DELETE restrict
);
--> statement-breakpoint
CREATE UNIQUE INDEX `regions_code_unique` ON `regions` (`code`);--> statement-breakpoint
CREATE INDEX `regions_name_id_index` ON `regions` (`name`,`id`);--> statement-breakpoint
CREATE INDEX `regions_country_id_index` ON `regions` (`country_id`);--> statement-breakpoint
CREATE TABLE `users` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`username` text(150) NOT NULL,
	`role` text NOT NULL,
	CONSTRAINT "users_role_check" CHECK("users"."role" in ('admin', 'reader'))
);
--> statement-breakpoint
CREATE UNIQUE INDEX `users_username_unique` ON `users` (`username`);--> statement-breakpoint
CREATE TABLE `visits` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`created_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`updated_at` datetime DEFAULT (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')) NOT NULL,
	`created_by_id` uuid text,
	`updated_by_id` uuid text,
	`is_active` integer DEFAULT true NOT NULL,
	`deleted_at` datetime,
	`city_id` uuid text NOT NULL,
	`note` text(2000),
	`rating` integer NOT NULL,
	`visited_on` date NOT NULL,
	FOREIGN KEY (`created_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`updated_by_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`city_id`) REFERENCES `cities`(`id`) ON UPDATE no action ON DELETE restrict
);
--> statement-breakpoint
CREATE INDEX `visits_city_id_index` ON `visits` (`city_id`);--> statement-breakpoint
CREATE INDEX `visits_created_by_id_visited_on_index` ON `visits` (`created_by_id`,`visited_on`);