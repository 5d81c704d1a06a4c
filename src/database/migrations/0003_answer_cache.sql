-- Answers that can be given again: to whoever may read the same, while nothing has changed that an answer depends on.

create table answer_cache (
  tenant_id text not null,
  -- A digest of the question, the visible ACLs, the state of the index and the parts that answer.
  cache_key text not null,
  index_version int not null,
  -- The answer that was given first; its trace explains the ones given again.
  answer_id text not null,
  -- Whose text is in `body`: forgetting one of them removes the row.
  document_ids text[] not null,
  body jsonb not null,
  created_at timestamptz not null default now(),
  -- When the next document begins or ceases to be in effect. Null: none will.
  valid_until timestamptz,
  primary key (tenant_id, cache_key)
);
create index answer_cache_by_age on answer_cache (tenant_id, created_at);

-- The next boundary is looked up with every question.
create index documents_by_effective_from on documents (tenant_id, effective_from) where effective_from is not null;
create index documents_by_effective_to on documents (tenant_id, effective_to) where effective_to is not null;

-- Sources past their promise; the same rule as in checkpoint_documents.
create function stale_sources(p_tenant text) returns text[]
language sql stable as $$
  select coalesce(array_agg(source_id order by source_id), '{}') from sources
    where tenant_id = p_tenant
      and (coalesce(extract(epoch from now() - content_checked_at) > promised_content_lag_seconds, false)
        or coalesce(extract(epoch from now() - permissions_checked_at) > promised_permission_lag_seconds, false)
        or (promised_content_lag_seconds is not null and content_checked_at is null)
        or (promised_permission_lag_seconds is not null and permissions_checked_at is null))
$$;

grant select, insert, update, delete on answer_cache to verbatim_app;
