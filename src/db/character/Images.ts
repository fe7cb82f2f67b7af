import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { Payload } from "#pipeline/domain/Event.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { ImageKind } from "#pipeline/safety/pictures.ts"
import type { ImageSize } from "#src/model/ImageModel.ts"
import { lockSessions } from "#src/db/billing/moneyStatements.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { type Expense, Expenses } from "#src/db/billing/Expenses.ts"
import {
  claimImage,
  type ClaimedImage,
  endImage,
  type ImageEnd,
  payForImage,
  announceImage
} from "./imageStatements.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import { StoredObjects } from "./StoredObjects.ts"

export const IMAGE_STATUSES = ["queued", "generating", "ready", "blocked", "failed"] as const
export type ImageStatus = (typeof IMAGE_STATUSES)[number]

export interface Image {
  readonly image_id: string
  readonly run_ref: string
  readonly character_slug: string
  readonly session_id: string | null
  readonly turn_ref: string | null
  readonly kind: ImageKind
  readonly prompt: string | null
  readonly caption: string | null
  readonly size: ImageSize
  readonly deliver: boolean
  readonly status: ImageStatus
  readonly error_code: string | null
  readonly engine: string | null
  readonly model: string | null
  readonly visible_description: string | null
  readonly object_key: string | null
  readonly media_type: string | null
  readonly width: number | null
  readonly height: number | null
  readonly created_at: Date
  readonly finished_at: Date | null
}

export interface NewImage {
  readonly characterSlug: string
  readonly sessionId: string | null
  readonly kind: ImageKind
  readonly prompt: string | null
  readonly caption: string | null
  readonly size: ImageSize
  readonly deliver: boolean
  readonly priceMicroUsd: number
}

export interface ImageFilter {
  readonly characterSlug: string | null
  readonly sessionId: string | null
  readonly status: string | null
  /** Those before this id. */
  readonly before: string | null
  readonly limit: number
}

/** The end of a picture: on its row, and on the log of its session if it was to be delivered. */
export interface ImageResult extends ImageEnd {
  readonly event: Payload<"image.ready"> | null
}

/** Where in the ledger to look for what was paid for a picture: longer than it waits and is tried. */
const PAID_WITHIN = "1 day"

/** Another worker has the picture now, or it was deleted. */
class LeaseLost extends Schema.TaggedError<LeaseLost>()("Overtaken", {}) {}

const COLUMNS = [
  "image_id",
  "run_ref",
  "character_slug",
  "session_id",
  "turn_ref",
  "kind",
  "prompt",
  "caption",
  "size",
  "deliver",
  "status",
  "error_code",
  "engine",
  "model",
  "visible_description",
  "object_key",
  "media_type",
  "width",
  "height",
  "created_at",
  "finished_at"
]

/**
 * Requested pictures. The cost is reserved with the request or, if a reply requested it, before generation. Failed
 * pictures are refunded.
 */
export class Images extends Context.Service<
  Images,
  {
    /** Null: budget or cap do not cover it, and nothing was written. Joins the caller's transaction. */
    readonly request: (appId: string, image: NewImage) => Effect.Effect<Image | null, DatabaseError>
    readonly get: (appId: string, imageId: string) => Effect.Effect<Image | undefined, DatabaseError>
    /** Newest first. */
    readonly list: (appId: string, filter: ImageFilter) => Effect.Effect<ReadonlyArray<Image>, DatabaseError>
    /** Deletes it with its content. One that was not started costs nothing. */
    readonly remove: (appId: string, imageId: string) => Effect.Effect<Image | undefined, DatabaseError>
    /** Claims the next picture for this process. */
    readonly claim: (
      owner: string,
      except: ReadonlyArray<string>
    ) => Effect.Effect<ClaimedImage | undefined, DatabaseError>
    /** Reserves the cost, unless that was already done. False: budget or cap do not cover it. */
    readonly pay: (image: ClaimedImage, priceMicroUsd: number) => Effect.Effect<boolean, DatabaseError>
    /**
     * Ends it, unless another worker has it now or it was deleted. If the picture did not become ready, its cost is
     * refunded.
     */
    readonly end: (image: ClaimedImage, ending: ImageResult) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/character/Images") {
  static readonly layer = Layer.effect(
    Images,
    Effect.gen(function* () {
      const { query, transaction, afterCommit } = yield* Database
      const expenses = yield* Expenses
      const objects = yield* StoredObjects
      const signals = yield* LogSignals

      const get = (appId: string, imageId: string) =>
        query<Array<Image>>(
          (sql) => sql`
      select ${sql(COLUMNS)} from images where app_id = ${appId} and image_id = ${imageId}`
        ).pipe(Effect.map(([row]) => row))
      const expenseOf = (appId: string, sessionId: string | null, runRef: string, microUsd: number): Expense => ({
        appId,
        sessionId,
        runRef,
        activity: "image",
        microUsd
      })

      const request = Effect.fnUntraced(function* (appId: string, image: NewImage) {
        const { characterSlug, sessionId, kind, prompt, caption, size, deliver, priceMicroUsd } = image
        const runRef = newId("run")
        if ((yield* expenses.charge({ appId, sessionId }, "image", priceMicroUsd, { runRef })) === null) return null
        const id = newId("img")
        yield* query(
          (sql) => sql`
        insert into images (app_id, image_id, run_ref, character_slug, session_id, turn_index, kind, prompt, caption,
          size, deliver, price_micro_usd)
        select ${appId}, ${id}, ${runRef},
          ${characterSlug}, ${sessionId}::text, (select greatest(1, turn_count) from session_logs
            where app_id = ${appId} and session_id = ${sessionId}::text),
          ${kind}, ${prompt}, ${caption}, ${size}, ${deliver}, ${priceMicroUsd}::bigint`
        )
        yield* query((sql) => sql`select graphile_worker.add_job('images', '{}'::json)`)
        return (yield* get(appId, id)) ?? null
      }, transaction)

      const remove = Effect.fnUntraced(function* (appId: string, imageId: string) {
        const [row] = yield* query<Array<Image & { price_micro_usd: number | null }>>(
          (sql) => sql`
        delete from images where app_id = ${appId} and image_id = ${imageId} returning ${sql(COLUMNS)}, price_micro_usd`
        )
        if (row === undefined) return undefined
        const { price_micro_usd: price, ...image } = row
        if (image.object_key !== null) yield* objects.discard(appId, [image.object_key])
        if (image.status === "queued" && price !== null)
          yield* expenses.refund(expenseOf(appId, image.session_id, image.run_ref, price))
        return image
      }, transaction)

      const pay = Effect.fnUntraced(
        function* (image: ClaimedImage, priceMicroUsd: number) {
          if (image.priceMicroUsd !== null) return true
          const { appId, sessionId, runRef } = image
          if ((yield* expenses.charge({ appId, sessionId }, "image", priceMicroUsd, { runRef })) === null) return false
          const mine = yield* query((sql) => payForImage(sql, image, priceMicroUsd))
          return mine.length > 0 ? true : yield* new LeaseLost()
        },
        transaction,
        Effect.catchTag("Overtaken", () => Effect.succeed(false))
      )

      const tell = Effect.fnUntraced(function* (
        image: ClaimedImage,
        sessionId: string,
        payload: Payload<"image.ready">
      ) {
        const [row] = yield* query<Array<{ last_cursor: number }>>((sql) =>
          announceImage(sql, image, newId("evt"), payload)
        )
        if (row === undefined) return
        const moved = yield* query((sql) => advanceLaneHeads(sql, [image.appId], [sessionId]))
        yield* afterCommit(() =>
          signals.announce([{ appId: image.appId, sessionId, cursor: row.last_cursor }], moved.length > 0)
        )
      })

      /** A picture requested by a reply also appears in the trace of its turn. */
      const trace = (
        { appId: app, sessionId: session, turnIndex: turn, turnRef }: ClaimedImage,
        { status, errorCode }: ImageResult
      ) =>
        turnRef === null
          ? Effect.void
          : query(
              (sql) => sql`
      update turn_stages set decision =
        ${errorCode === null ? status : `${status}:${errorCode}`}
          where app_id = ${app} and session_id = ${session} and turn_index = ${turn}::int and stage = 'image'`
            )

      // Locks allowances before sessions before the row, as everywhere.
      const end = Effect.fnUntraced(
        function* (image: ClaimedImage, ending: ImageResult) {
          const { appId, imageId, sessionId, runRef } = image
          const [paid] =
            ending.status === "ready"
              ? []
              : yield* query<Array<{ price: number }>>(
                  (sql) => sql`
        select price_micro_usd as price from images
          where app_id = ${appId} and image_id =
            ${imageId} and owner = ${image.owner} and attempt = ${image.attempt}::int and price_micro_usd is not null`
                )
          if (paid !== undefined) yield* expenses.refund(expenseOf(appId, sessionId, runRef, paid.price))
          if (sessionId !== null) yield* query((sql) => lockSessions(sql, [appId], [sessionId]))
          const ended = yield* query((sql) => endImage(sql, image, ending))
          if (ended.length === 0) return yield* new LeaseLost()
          if (ending.picture !== null) yield* objects.keep(appId, ending.picture.objectKey)
          if (sessionId === null) return
          if (ending.event !== null) yield* tell(image, sessionId, ending.event)
          yield* trace(image, ending)
        },
        transaction,
        Effect.catchTag("Overtaken", () =>
          Effect.logInfo("image result discarded: another attempt finished first, or it was deleted")
        )
      )

      /** A picture that was deleted while it was made costs nothing either if it could not be made. */
      const refundDeleted = Effect.fnUntraced(function* ({ appId, imageId, sessionId, runRef }: ClaimedImage) {
        yield* query((sql) => sql`select pg_advisory_xact_lock(hashtextextended(${`refund ${runRef}`}, 0))`)
        if ((yield* get(appId, imageId)) !== undefined) return
        const [paid] = yield* query<Array<{ pictures: number; price: number }>>(
          (sql) => sql`
        select coalesce(sum(pictures), 0)::int as pictures, coalesce(sum(amount_micro_usd), 0)::int8 as price
        from ledger where app_id = ${appId} and at > now() - ${PAID_WITHIN}::interval and run_ref = ${runRef}
          and activity = 'image'`
        )
        if (paid !== undefined && paid.pictures > 0)
          yield* expenses.refund(expenseOf(appId, sessionId, runRef, paid.price))
      }, transaction)

      return Images.of({
        request,
        get,
        remove,
        pay,
        end: (image, ending) =>
          ending.status === "ready" ? end(image, ending) : Effect.andThen(end(image, ending), refundDeleted(image)),
        list: (appId, { characterSlug, sessionId, status, before, limit }) =>
          query<Array<Image>>(
            (sql) => sql`
        select ${sql(COLUMNS)} from images
        where app_id = ${appId} and (${characterSlug}::text is null
          or character_slug = ${characterSlug}) and (${sessionId}::text is null or session_id = ${sessionId})
          and (${status}::text is null or status = ${status}) and (${before}::text is null or image_id < ${before})
        order by image_id desc limit ${limit}::int`
          ),
        claim: (owner, except) =>
          query<Array<ClaimedImage>>((sql) => claimImage(sql, owner, except)).pipe(Effect.map(([row]) => row))
      })
    })
  )
}
