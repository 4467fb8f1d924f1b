CREATE TABLE `stops_history` (
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
	`parent` text,
	`before` text,
	`after` text,
	CONSTRAINT "stops_history_action_check" CHECK("stops_history"."action" in ('create', 'update', 'delete', 'soft_delete', 'restore'))
);
--> statement-breakpoint
CREATE INDEX `stops_history_record_id_index` ON `stops_history` (`record`,`id`);--> statement-breakpoint
CREATE INDEX `stops_history_job_id_index` ON `stops_history` (`job`,`id`);--> statement-breakpoint
CREATE INDEX `stops_history_parent_id_partial_index` ON `stops_history` (`parent`,`id`) WHERE "stops_history"."parent" is not null;--> statement-breakpoint
ALTER TABLE `cities_history` ADD `parent` text;--> statement-breakpoint
CREATE INDEX `cities_history_parent_id_partial_index` ON `cities_history` (`parent`,`id`) WHERE "cities_history"."parent" is not null;--> statement-breakpoint
ALTER TABLE `regions_history` ADD `parent` text;--> statement-breakpoint
CREATE INDEX `regions_history_parent_id_partial_index` ON `regions_history` (`parent`,`id`) WHERE "regions_history"."parent" is not null;--> statement-breakpoint
ALTER TABLE `trips_history` ADD `parent` text;--> statement-breakpoint
CREATE INDEX `trips_history_parent_id_partial_index` ON `trips_history` (`parent`,`id`) WHERE "trips_history"."parent" is not null;