CREATE TABLE "viewset_job_errors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"job_id" uuid NOT NULL,
	"part" integer NOT NULL,
	"errors" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "viewset_jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"resource" text NOT NULL,
	"kind" text NOT NULL,
	"state" text DEFAULT 'queued' NOT NULL,
	"owner" text,
	"user_data" jsonb,
	"request" jsonb NOT NULL,
	"options" jsonb NOT NULL,
	"file_name" text,
	"progress" jsonb NOT NULL,
	"message" text DEFAULT '' NOT NULL,
	"result" jsonb,
	"attempts" integer DEFAULT 0 NOT NULL,
	"crashes" integer DEFAULT 0 NOT NULL,
	"worker" text,
	"worker_seen_at" timestamp (6) with time zone,
	"is_cancel_requested" boolean DEFAULT false NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone NOT NULL,
	"started_at" timestamp (6) with time zone,
	"ended_at" timestamp (6) with time zone,
	CONSTRAINT "viewset_jobs_kind_check" CHECK ("viewset_jobs"."kind" in ('import', 'export')),
	CONSTRAINT "viewset_jobs_state_check" CHECK ("viewset_jobs"."state" in ('queued', 'running', 'succeeded', 'failed', 'cancelled'))
);
--> statement-breakpoint
ALTER TABLE "viewset_job_errors" ADD CONSTRAINT "viewset_job_errors_job_id_viewset_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."viewset_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "viewset_job_errors_job_id_part_index" ON "viewset_job_errors" USING btree ("job_id","part");--> statement-breakpoint
CREATE INDEX "viewset_jobs_owner_created_at_index" ON "viewset_jobs" USING btree ("owner","created_at");--> statement-breakpoint
CREATE INDEX "viewset_jobs_state_index" ON "viewset_jobs" USING btree ("state");