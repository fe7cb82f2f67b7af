import type { PictureWish } from "#pipeline/domain/Turn.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

export interface TurnPicture {
  readonly app: string
  readonly session: string
  readonly turn: number
  readonly wish: PictureWish
}

/**
 * Requests the pictures of replies in the transaction that settles their turns, so a picture is requested if its reply
 * is on the log. It is paid for before it is generated and not here, where other turns would wait for it.
 */
export const requestPictures = (sql: Sql, pictures: ReadonlyArray<TurnPicture>) => sql`
  with asked as (
    insert into images (app_id, image_id, run_ref, character_slug, session_id, turn_index, turn_ref, kind, prompt,
      size, deliver)
    select a.app_id, a.image_id, a.run_ref, s.character_slug, a.session_id, a.turn_index, t.run_ref, a.kind, a.prompt,
      'square', true
    from unnest(${pictures.map(({ app }) => app)}::text[],
      ${pictures.map(({ session }) => session)}::text[], ${pictures.map(({ turn }) => turn)}::int[],
        ${pictures.map(() => newId("img"))}::text[], ${pictures.map(() => newId("run"))}::text[],
        ${pictures.map(({ wish }) => wish.kind)}::text[],
          ${pictures.map(({ wish }) => wish.description)}::text[]) as a(app_id, session_id, turn_index, image_id,
            run_ref, kind, prompt)
      join turns t using (app_id, session_id, turn_index) join sessions s using (app_id, session_id)
    where t.outcome = 'replied'
    returning 1
  )
  select graphile_worker.add_job('images', '{}'::json) from (select from asked limit 1) one`
