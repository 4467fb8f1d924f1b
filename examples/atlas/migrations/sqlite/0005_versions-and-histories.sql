CREATE TABLE `cities_history` (
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
	CONSTRAINT "cities_history_action_check" CHECK("cities_history"."action" in ('create', 'update', 'delete', 'soft_delete', 'restore'))
);
--> statement-breakpoint
CREATE INDEX `cities_history_record_id_index` ON `cities_history` (`record`,`id`);--> statement-breakpoint
CREATE INDEX `cities_history_job_id_index` ON `cities_history` (`job`,`id`);--> statement-breakpoint
CREATE TABLE `viewset_idempotency_keys` (
	`id` text(64) PRIMARY KEY NOT NULL,
	`fingerprint` text(64) NOT NULL,
	`status` integer NOT NULL,
	`headers` text NOT NULL,
	`body` text NOT NULL,
	`created_at` datetime NOT NULL
);
--> statement-breakpoint
CREATE INDEX `viewset_idempotency_keys_created_at_index` ON `viewset_idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `regions_history` (
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
	CONSTRAINT "regions_history_action_check" CHECK("regions_history"."action" in ('create', 'update', 'delete', 'soft_delete', 'restore'))
);
--> statement-breakpoint
CREATE INDEX `regions_history_record_id_index` ON `regions_history` (`record`,`id`);--> statement-breakpoint
CREATE INDEX `regions_history_job_id_index` ON `regions_history` (`job`,`id`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_viewset_jobs` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`resource` text NOT NULL,
	`kind` text NOT NULL,
	`state` text DEFAULT 'queued' NOT NULL,
	`owner` text,
	`user_data` text,
	`request` text NOT NULL,
	`options` text NOT NULL,
	`file_name` text,
	`progress` text NOT NULL,
	`message` text DEFAULT '' NOT NULL,
	`result` text,
	`attempts` integer DEFAULT 0 NOT NULL,
	`crashes` integer DEFAULT 0 NOT NULL,
	`worker` text,
	`worker_seen_at` datetime,
	`is_cancel_requested` integer DEFAULT false NOT NULL,
	`has_history` integer DEFAULT false NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`created_at` datetime NOT NULL,
	`started_at` datetime,
	`ended_at` datetime,
	CONSTRAINT "viewset_jobs_kind_check" CHECK("__new_viewset_jobs"."kind" in ('import', 'export', 'undo')),
	CONSTRAINT "viewset_jobs_state_check" CHECK("__new_viewset_jobs"."state" in ('queued', 'running', 'succeeded', 'failed', 'cancelled'))
);
--> statement-breakpoint
INSERT INTO `__new_viewset_jobs`("id", "resource", "kind", "state", "owner", "user_data", "request", "options", "file_name", "progress", "message", "result", "attempts", "crashes", "worker", "worker_seen_at", "is_cancel_requested", "has_history", "revision", "created_at", "started_at", "ended_at") SELECT "id", "resource", "kind", "state", "owner", "user_data", "request", "options", "file_name", "progress", "message", "result", "attempts", "crashes", "worker", "worker_seen_at", "is_cancel_requested", 0, "revision", "created_at", "started_at", "ended_at" FROM `viewset_jobs`;--> statement-breakpoint
DROP TABLE `viewset_jobs`;--> statement-breakpoint
ALTER TABLE `__new_viewset_jobs` RENAME TO `viewset_jobs`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `viewset_jobs_owner_created_at_index` ON `viewset_jobs` (`owner`,`created_at`);--> statement-breakpoint
CREATE INDEX `viewset_jobs_state_index` ON `viewset_jobs` (`state`);--> statement-breakpoint
ALTER TABLE `cities` ADD `version` bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `regions` ADD `version` bigint DEFAULT 0 NOT NULL;