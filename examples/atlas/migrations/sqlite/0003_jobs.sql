CREATE TABLE `viewset_job_errors` (
	`id` uuid text PRIMARY KEY NOT NULL,
	`job_id` uuid text NOT NULL,
	`part` integer NOT NULL,
	`errors` text NOT NULL,
	FOREIGN KEY (`job_id`) REFERENCES `viewset_jobs`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `viewset_job_errors_job_id_part_index` ON `viewset_job_errors` (`job_id`,`part`);--> statement-breakpoint
CREATE TABLE `viewset_jobs` (
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
	`revision` integer DEFAULT 0 NOT NULL,
	`created_at` datetime NOT NULL,
	`started_at` datetime,
	`ended_at` datetime,
	CONSTRAINT "viewset_jobs_kind_check" CHECK("viewset_jobs"."kind" in ('import', 'export')),
	CONSTRAINT "viewset_jobs_state_check" CHECK("viewset_jobs"."state" in ('queued', 'running', 'succeeded', 'failed', 'cancelled'))
);
--> statement-breakpoint
CREATE INDEX `viewset_jobs_owner_created_at_index` ON `viewset_jobs` (`owner`,`created_at`);--> statement-breakpoint
CREATE INDEX `viewset_jobs_state_index` ON `viewset_jobs` (`state`);