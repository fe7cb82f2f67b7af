import * as z from "zod"
import { LoopKind } from "#pipeline/relational/Relationship.ts"
import { STORYLINE_STATUSES } from "#pipeline/world/World.ts"
import { influence } from "./arcInfluenceSchemas.ts"
import { mergePatchOf } from "#src/http/server/schemas/mergePatch.ts"
import { moment } from "#src/http/server/schemas/moment.ts"
import { between, unit, wholeBetween } from "#src/http/server/schemas/number.ts"
import { Emotion } from "#src/http/character/relationshipSchemas.ts"
import { text, texts } from "#src/http/server/schemas/text.ts"

const status = z.enum(STORYLINE_STATUSES)
const key = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, "Invalid key: expected 1 to 40 of a-z, 0-9, _ and -, beginning with a letter")
const triggerName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_.:-]{0,59}$/,
    "Invalid trigger: expected 1 to 60 of a-z, 0-9, _, ., : and -, beginning with a letter"
  )
  .meta({ examples: ["festival.began"] })

const condition = z
  .union([
    z.object({ score_gte: z.object({ key, value: unit() }) }),
    z.object({ turns_gte: wholeBetween(0, 100_000) }),
    z.object({ days_since_gte: between(0, 3650) }),
    z.object({ keyword_any: texts(20, 100).min(1) }),
    z.object({ trigger: triggerName }),
    z.object({ loop_resolved: z.enum([...LoopKind.literals, "any"]) }),
    z.object({ after: z.union([moment, key]) })
  ])
  .meta({
    description:
      "score_gte: a score is at least this high. turns_gte, days_since_gte: turns or days since the " +
      "previous beat, or since the start of the session. keyword_any: the person says one of these. " +
      "trigger: the app sends this trigger. loop_resolved: an open loop of this kind was resolved " +
      "since then. after: a time has passed, or another beat was entered before"
  })

const delta = z.object({
  label: Emotion.nullable().default(null),
  valence: between(-1, 1).default(0),
  arousal: between(-1, 1).default(0)
})

const beat = z.object({
  key,
  summary: text(1, 500),
  guidance: text(0, 800).default("").meta({ description: "What the character does during this beat" }),
  enter_when: z
    .object({ all: z.array(condition).max(10).default([]) })
    .default({ all: [] })
    .meta({
      description: "All of these conditions must be true. Without conditions, the beat is entered with the next turn"
    }),
  on_enter: z
    .object({
      emotion_delta: delta.nullable().default(null),
      arc_influence: influence
        .nullable()
        .default(null)
        .meta({ description: "Influences on the character during this beat" }),
      proactive_reason: z
        .literal("storyline_beat")
        .nullable()
        .default(null)
        .meta({ description: "The character may write first about it, if the policy allows" })
    })
    .default({ emotion_delta: null, arc_influence: null, proactive_reason: null }),
  next: z
    .array(key)
    .max(40)
    .default([])
    .meta({
      description:
        "The beats that may follow. The first whose conditions are " +
        "met is entered. Without any, the story ends here"
    })
})

export const storylineFields = z.object({
  title: text(1, 120).meta({ examples: ["The lighthouse goes dark"] }),
  premise: text(0, 1000).default(""),
  status: status.default("draft").meta({
    description: "A new storyline is a draft. Sessions start only active storylines. Set it to active when it is ready"
  }),
  beats: z.array(beat).min(1).max(40)
})
export const StorylineCreate = storylineFields.superRefine(({ beats }, context) => {
  const keys = new Set<string>()
  for (const [index, { key }] of beats.entries()) {
    if (keys.has(key))
      context.addIssue({ code: "custom", path: ["beats", index, "key"], message: "Must be unique among the beats" })
    keys.add(key)
  }
  for (const [index, { next, enter_when }] of beats.entries()) {
    for (const [at, key] of next.entries())
      if (!keys.has(key))
        context.addIssue({ code: "custom", path: ["beats", index, "next", at], message: "There is no such beat" })
    for (const [at, condition] of enter_when.all.entries()) {
      if ("after" in condition && /^[a-z]/.test(condition.after) && !keys.has(condition.after))
        context.addIssue({
          code: "custom",
          path: ["beats", index, "enter_when", "all", at, "after"],
          message: "There is no such beat"
        })
    }
  }
})
export const StorylinePatch = mergePatchOf(storylineFields).meta({
  description: "JSON merge patch (RFC 7396): null clears a field, and the beats are replaced as a whole"
})

const time = z.iso.datetime()
export const StorylineData = z.object({
  id: z.string(),
  character_slug: z.string(),
  title: z.string(),
  premise: z.string(),
  status,
  beats: z.array(
    z.object({
      key: z.string(),
      summary: z.string(),
      guidance: z.string(),
      enter_when: z.object({ all: z.array(z.looseObject({})) }),
      on_enter: z.looseObject({}),
      next: z.array(z.string())
    })
  ),
  created_at: time,
  updated_at: time
})
export const StorylinePage = z.object({ storylines: z.array(StorylineData), next_cursor: z.string().nullable() })

export const TriggerBody = z.object({ trigger: triggerName })

const entered = z.object({
  beat: z.string(),
  entered_at: time,
  turn_index: z.int().describe("The session's last turn at that time"),
  trigger: z.string().nullable()
})
export const SessionStorylineData = z.object({
  storyline_id: z.string(),
  session_id: z.string(),
  title: z.string(),
  status: z
    .enum(["active", "paused", "ended"])
    .describe("ended: no beat follows, or the author has withdrawn the storyline"),
  current_beat: z.string(),
  entered_at: time,
  history: z.array(entered).describe("The last 50 beats that were entered, oldest first")
})
export const SessionStorylines = z.object({ storylines: z.array(SessionStorylineData) })
