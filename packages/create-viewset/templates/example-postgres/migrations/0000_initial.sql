CREATE TABLE "authors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"created_by_id" text,
	"updated_by_id" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"deleted_at" timestamp (6) with time zone,
	"name" varchar(100) NOT NULL,
	CONSTRAINT "authors_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "books" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"created_by_id" text,
	"updated_by_id" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"deleted_at" timestamp (6) with time zone,
	"isbn" varchar(13) NOT NULL,
	"title" varchar(200) NOT NULL,
	"author_id" uuid NOT NULL,
	"price" numeric(8, 2),
	"published_on" date,
	CONSTRAINT "books_isbn_unique" UNIQUE("isbn")
);
--> statement-breakpoint
ALTER TABLE "books" ADD CONSTRAINT "books_author_id_authors_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."authors"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "books_title_id_index" ON "books" USING btree ("title","id");--> statement-breakpoint
CREATE INDEX "books_author_id_index" ON "books" USING btree ("author_id");