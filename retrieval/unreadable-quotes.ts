/**
 * Which of the quoted documents cannot be shown to an audience any more, for a statement that begins with
 * `with posted (…, audience, document_ids) as …` and whose first parameter is the tenant: continues its list of queries. Each
 * audience is asked once for all documents that are quoted to it.
 */
export const UNREADABLE_QUOTES = `place as (
       select audience, array_agg(distinct document_id) as document_ids
         from posted cross join unnest(document_ids) document_id group by audience
     ), unreadable as (
       select place.audience, checked.document_id
         from place cross join lateral checkpoint_documents($1, place.audience, place.document_ids) checked
         where not checked.allowed or checked.state <> 'live' or not checked.in_effect
     )`;

/** Whether a row of `posted` quotes one of them. */
export const QUOTES_UNREADABLE = `exists (
         select 1 from unreadable u where u.audience = posted.audience and u.document_id = any(posted.document_ids))`;
