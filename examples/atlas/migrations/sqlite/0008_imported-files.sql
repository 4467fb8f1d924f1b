ALTER TABLE `viewset_jobs` ADD `fingerprint` text(64);--> statement-breakpoint
CREATE INDEX `viewset_jobs_fingerprint_index` ON `viewset_jobs` (`fingerprint`);