ALTER TABLE "viewset_jobs" ADD COLUMN "fingerprint" varchar(64);--> statement-breakpoint
CREATE INDEX "viewset_jobs_fingerprint_index" ON "viewset_jobs" USING btree ("fingerprint");