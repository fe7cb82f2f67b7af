import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Character } from "#pipeline/domain/Character.ts"
import { shiftEmotion } from "#pipeline/relational/emotion.ts"
import { apply, EMPTY_PATCH, type Patch } from "#pipeline/relational/Patch.ts"
import type { Relationship } from "#pipeline/relational/Relationship.ts"
import { currentScores } from "#pipeline/relational/scores.ts"
import { entering, type Occasion } from "#pipeline/world/storylines.ts"
import type { Beat, SessionWorld, Step, Storyline } from "#pipeline/world/World.ts"
import { lockSessions } from "#src/db/billing/moneyStatements.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { scheduleProactiveCheck } from "#src/db/conversation/proactiveChecks.ts"
import { iso } from "#src/db/postgres/moments.ts"
import { Relationships } from "./Relationships.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Worlds } from "#src/db/world/Worlds.ts"
import type { CharacterRef } from "#src/db/world/worldTable.ts"

type InSession = SessionRef & CharacterRef

export interface Story {
  /** Undefined: it was deleted. */
  readonly storyline: Storyline | undefined
  readonly status: "active" | "paused" | "ended"
  readonly present: Step
  /** Oldest first. */
  readonly steps: ReadonlyArray<Step>
}

/** A processed turn or a trigger, which may advance a story. */
export interface StoryEvent {
  readonly at: Date
  readonly turnIndex: number
  readonly message: string | null
  readonly trigger: string | null
}

const statusOf = ({ beats, status }: Storyline, present: Step, latest: Step | undefined): Story["status"] => {
  const beat = beats.find(({ key }) => key === present.beat)
  if (present !== latest || beat === undefined || beat.next.length === 0) return "ended"
  return status === "active" || status === "paused" ? status : "ended"
}

/** The positions of sessions in their characters' stories. A session is in one story at a time. */
export class SessionStories extends Context.Service<
  SessionStories,
  {
    /** The session's current and past stories, latest first. */
    readonly list: (session: InSession) => Effect.Effect<ReadonlyArray<Story>, DatabaseError>
    /**
     * Advances the story by at most one beat, if all its conditions hold after a patch. Returns the patch with the
     * effects of entering it. Runs in the caller's transaction, which has locked the session. So a beat is entered
     * together with the extraction of its turn or not at all.
     */
    readonly advance: (
      session: InSession,
      character: Character,
      before: Relationship,
      patch: Patch,
      happening: StoryEvent
    ) => Effect.Effect<Patch, DatabaseError>
    /** The same for a trigger from the app that a beat of this storyline waits for. Null: none does. */
    readonly trigger: (
      session: InSession & { readonly version: number },
      storylineId: string,
      trigger: string
    ) => Effect.Effect<Beat | null, DatabaseError>
  }
>()("src/db/memory/SessionStories") {
  static readonly layer = Layer.effect(
    SessionStories,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const worlds = yield* Worlds
      const relationships = yield* Relationships
      const characters = yield* CharacterVersions

      const stepsOf = ({ appId, sessionId }: SessionRef) =>
        query<Array<Step>>(
          (sql) => sql`
      select storyline_id, beat, ${iso(sql, "entered_at")}, turn_index, trigger from storyline_steps
        where app_id = ${appId} and session_id = ${sessionId} order by step`
        )

      const list = Effect.fnUntraced(function* (session: InSession) {
        const [world, steps] = yield* Effect.all([worlds.look(session), stepsOf(session)], { concurrency: 2 })
        return [...Map.groupBy(steps, ({ storyline_id }) => storyline_id)]
          .toReversed()
          .flatMap(([id, own]): ReadonlyArray<Story> => {
            const present = own.at(-1)
            const storyline = world?.storylines.find((one) => one.id === id)
            return present === undefined
              ? []
              : [
                  {
                    storyline,
                    status: storyline === undefined ? "ended" : statusOf(storyline, present, steps.at(-1)),
                    present,
                    steps: own
                  }
                ]
          })
      })

      const enter = Effect.fnUntraced(function* (
        session: InSession,
        { storyline, beat }: { readonly storyline: Storyline; readonly beat: Beat },
        { at, turnIndex, trigger }: StoryEvent
      ) {
        const { appId, sessionId } = session
        const initiates = beat.on_enter.proactive_reason !== null
        yield* query(
          (sql) => sql`
        insert into storyline_steps (app_id, session_id, step, storyline_id, beat, entered_at, turn_index, trigger,
          initiates)
        select ${appId}, ${sessionId}, coalesce(max(step), 0) + 1,
          ${storyline.id}, ${beat.key}, ${at.toISOString()}::timestamptz, ${turnIndex}::int, ${trigger}, ${initiates}
        from storyline_steps where app_id = ${appId} and session_id = ${sessionId}`
        )
        if (initiates) yield* query((sql) => scheduleProactiveCheck(sql, session))
      })

      const next = Effect.fnUntraced(function* (
        session: InSession,
        world: SessionWorld,
        character: Character,
        after: Relationship,
        happening: StoryEvent,
        only: string | null
      ) {
        const { appId, sessionId } = session
        const [steps, [row]] = yield* Effect.all([
          stepsOf(session),
          query<Array<{ created_at: Date }>>(
            (sql) => sql`select created_at from sessions where app_id = ${appId} and session_id = ${sessionId}`
          )
        ])
        if (row === undefined) return null
        const at = happening.at.getTime()
        const occasion: Occasion = {
          ...happening,
          at,
          scores: new Map(
            currentScores(character.relationship_posture, after.bearing.scores, at).map(({ dimension, value }) => [
              dimension.key,
              value
            ])
          ),
          loops: [...after.loops.values()],
          beganAt: row.created_at.getTime()
        }
        return entering(world, steps, occasion, only)
      })

      const moved = (
        character: Character,
        before: Relationship,
        patch: Patch,
        { on_enter: { emotion_delta } }: Beat,
        at: Date
      ): Patch =>
        emotion_delta === null
          ? patch
          : {
              ...patch,
              bearing: {
                ...patch.bearing,
                emotion: shiftEmotion(
                  character.baseline_emotion,
                  apply(before, patch, at.toISOString(), null).bearing.emotion,
                  emotion_delta,
                  at.toISOString()
                )
              }
            }

      const advance = Effect.fnUntraced(function* (
        session: InSession,
        character: Character,
        before: Relationship,
        patch: Patch,
        happening: StoryEvent
      ) {
        const { appId, sessionId } = session
        const world = yield* worlds.look(session)
        if (world === undefined) return patch
        // They have talked since, so the character has no reason to write first about it.
        yield* query(
          (sql) =>
            sql`update storyline_steps set initiates = false
              where app_id = ${appId} and session_id =
                ${sessionId} and initiates and turn_index < ${happening.turnIndex}::int`
        )
        const after = apply(before, patch, happening.at.toISOString(), happening.turnIndex)
        const entered = yield* next(session, world, character, after, happening, null)
        if (entered === null) return patch
        yield* enter(session, entered, happening)
        return moved(character, before, patch, entered.beat, happening.at)
      })

      const trigger = Effect.fnUntraced(function* (
        session: InSession & { readonly version: number },
        storylineId: string,
        name: string
      ) {
        const { appId, slug, sessionId, version } = session
        const [world, character] = yield* Effect.all([worlds.look(session), characters.get(appId, slug, version)], {
          concurrency: 2
        })
        yield* query((sql) => lockSessions(sql, [appId], [sessionId]))
        const at = new Date(yield* Clock.currentTimeMillis)
        const [log] = yield* query<Array<{ turn_count: number }>>(
          (sql) => sql`select turn_count from session_logs where app_id = ${appId} and session_id = ${sessionId}`
        )
        if (world === undefined || log === undefined) return null
        let beat: Beat | null = null
        yield* relationships.amend(
          session,
          Effect.fnUntraced(function* (now) {
            const happening: StoryEvent = { at, turnIndex: log.turn_count, message: null, trigger: name }
            const entered = yield* next(session, world, character, now, happening, storylineId)
            if (entered === null) return { at, patch: EMPTY_PATCH }
            beat = entered.beat
            yield* enter(session, entered, happening)
            return { at, patch: moved(character, now, EMPTY_PATCH, entered.beat, at) }
          })
        )
        return beat as Beat | null
      }, transaction)

      return SessionStories.of({ list, advance, trigger })
    })
  )
}
