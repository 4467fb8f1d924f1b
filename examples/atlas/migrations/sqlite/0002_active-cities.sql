DROP INDEX `cities_name_id_index`;--> statement-breakpoint
DROP INDEX `cities_country_id_index`;--> statement-breakpoint
CREATE INDEX `cities_is_active_name_id_index` ON `cities` (`is_active`,`name`,`id`);--> statement-breakpoint
CREATE INDEX `cities_country_id_is_active_index` ON `cities` (`country_id`,`is_active`);