ALTER TABLE "countries" ALTER COLUMN "phone_prefixes" SET DATA TYPE integer[] USING translate("phone_prefixes"::text, '[]', '{}')::integer[];--> statement-breakpoint
ALTER TABLE "countries" ALTER COLUMN "currencies" SET DATA TYPE varchar(3)[] USING translate("currencies"::text, '[]', '{}')::varchar(3)[];--> statement-breakpoint
ALTER TABLE "countries" ALTER COLUMN "languages" SET DATA TYPE varchar(2)[] USING translate("languages"::text, '[]', '{}')::varchar(2)[];
