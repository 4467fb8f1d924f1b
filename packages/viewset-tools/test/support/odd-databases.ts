import Sqlite from 'better-sqlite3'
import pg from 'pg'

/** A database that nobody made with Viewset in mind: its names, its types and its keys are as people write them. */
const POSTGRES = `
create type "Größe" as enum ('klein', 'groß''er');
create domain email as text check (value like '%@%');
create table "user" (id serial primary key, email email not null unique, "passwordHash" text, "createdAt" timestamptz not null default now());
create table account (id serial primary key, owner_id int not null references "user"(id), api_key text not null);
create table "Order Items" (
  "Id" uuid primary key default gen_random_uuid(), "Straße" text not null default 'it''s \\ \`\${a}"', "class" integer,
  "größe" "Größe" default 'klein', "user" integer not null references "user"(id), price numeric(10,2) not null default 0.00,
  "2nd" boolean default false, big bigint, tags text[] not null default '{}', raw bytea);
create index on "Order Items" (price);
create table category (id bigserial primary key, name text not null, parent_id bigint references category(id) on delete cascade);
create table message (
  id bigint generated always as identity primary key, sender_id int not null references "user"(id),
  recipient_id int references "user"(id), body text, body_length int generated always as (length(body)) stored,
  sent date default current_date, at time, ip inet, meta jsonb default '{}', found tsvector);
create index on message (sender_id, sent desc);
create index on message (lower(body));
create unique index on message (recipient_id) where body is null;
create table enrolment (student_id int not null references "user"(id), course_id bigint not null references category(id), primary key (student_id, course_id));
create table composite_child (id int primary key, s int, c bigint, foreign key (s, c) references enrolment(student_id, course_id));
create table log (at timestamptz, line text);
create table country (code char(2) primary key, name text not null unique);
create table city (id serial primary key, country_code char(2) references country(code), "save" text, "constructor" text, "index" int, "then" text);
create table department (id serial primary key, name text not null, manager_id int);
create table employee (id serial primary key, name text not null, department_id int references department(id));
alter table department add foreign key (manager_id) references employee(id);
create table note (id serial primary key, body text, is_active boolean not null default true, deleted_at timestamptz);
create table "import" (id serial primary key, "function" text, "a-b" text, "a b" text, "a_b" text);
create table "text" (id serial primary key, "default" text);
create table "таблица" (id serial primary key, "имя" text);
create table knex_migrations (id serial primary key, name text);
create view happy as select * from category where name = 'happy';
create schema shop;
create table shop."user" (id serial primary key, name text, city_id int references public.city(id));
create table part (id int, at date, primary key (id, at)) partition by range (at);
create table part1 partition of part for values from ('2020-01-01') to ('2021-01-01');
`

const SQLITE = `
create table "user" (id integer primary key autoincrement, email varchar(200) not null unique, "passwordHash" text, "createdAt" text not null default current_timestamp);
create table account (id integer primary key, owner_id int not null references "user", api_key text not null);
create table "Order Items" (
  "Id" text primary key not null, "Straße" text not null default 'it''s \\ \`\${a}"', [class] integer,
  "größe" text default 'klein', "user" integer not null references "user"(id), price numeric(10,2) not null default 0.00,
  "2nd" boolean default false, big bigint, tags json not null default '[]', raw blob);
create index prices on "Order Items" (price);
create table category (id integer primary key, name text not null, parent_id integer references category(id) on delete cascade);
create table message (
  id integer primary key, -- as (1), this is no expression
  sender_id int not null references "user"(id), recipient_id int references "user", body text,
  body_length int /* of the body */ generated always as (length(coalesce(body, ')'))) stored, half integer as (body_length / 2),
  sent date default current_date, at time, ip text, meta json default '{}', found);
create index by_sender on message (sender_id, sent desc);
create index by_body on message (lower(body));
create unique index once on message (recipient_id) where body is null;
create table enrolment (student_id int not null references "user"(id), course_id integer not null references category(id), primary key (student_id, course_id)) without rowid;
create table composite_child (id integer primary key, s int, c int, foreign key (s, c) references enrolment);
create table log (at text, line text);
create table country (code char(2) primary key, name text not null unique);
create table city (id integer primary key, country_code char(2) references country(code), "save" text, "constructor" text, "index" int, "then" text);
create table department (id integer primary key, name text not null, manager_id int references employee(id));
create table employee (id integer primary key, name text not null, department_id int references department(id));
create table note (id integer primary key, body text, is_active boolean not null default true, deleted_at datetime);
create table "import" (id integer primary key, "function" text, "a-b" text, "a b" text, "a_b" text);
create table "text" (id integer primary key, "default" text);
create table "таблица" (id integer primary key, "имя" text);
create table knex_migrations (id integer primary key, name text);
create view happy as select * from category where name = 'happy';
create virtual table words using fts5(word);
`

/** Fills an empty database by plain SQL. */
export async function makeOdd(url: string): Promise<void> {
  if (!url.startsWith('postgres')) {
    const handle = new Sqlite(url)
    handle.exec(SQLITE)
    handle.close()
    return
  }
  const client = new pg.Client(url)
  await client.connect()
  await client.query(POSTGRES).finally(() => client.end())
}
