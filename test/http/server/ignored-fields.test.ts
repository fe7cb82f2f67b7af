import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { effortOf } from "#test/support/effort/effortOf.ts"
import { ignoredFields, meantFields } from "#src/http/server/body/ignoredFields.ts"
import { CharacterCreate, CharacterPatch } from "#src/http/character/characterSchemas.ts"
import { SessionCreate } from "#src/http/conversation/sessionSchemas.ts"

const minimal = { slug: "mara", display_name: "Mara" }

describe("ignored fields", () => {
  it("names every removed key, in order", () => {
    const raw = {
      ...minimal,
      colour: "red",
      voice: { register: "blunt", pitch: { low: 1 } },
      voice_samples: [
        { text: "Hm.", mood: "grim" },
        { text: "No.", "the mood": "grim" }
      ]
    }
    expect(ignoredFields(raw, CharacterCreate.parse(raw))).toEqual([
      "colour",
      "voice.pitch",
      "voice_samples[0].mood",
      'voice_samples[1]["the mood"]'
    ])
  })

  it("names nothing if nothing was removed, even with defaults and nulls", () => {
    expect(ignoredFields(minimal, CharacterCreate.parse(minimal))).toEqual([])
    const session = { character: "mara", external_user_ref: "u1", metadata: { any: { thing: [1] } } }
    expect(ignoredFields(session, SessionCreate.parse(session))).toEqual([])
    const patch = { voice: { register: null }, greeting: null }
    expect(ignoredFields(patch, CharacterPatch.parse(patch))).toEqual([])
  })

  it("detects a key called __proto__", () => {
    const raw: unknown = JSON.parse(`{"slug": "mara", "display_name": "Mara", "__proto__": {"slug": "x"}}`)
    expect(ignoredFields(raw, CharacterCreate.parse(raw))).toEqual(["__proto__"])
  })

  it("names what was probably meant, also inside of objects, arrays and unions", () => {
    const raw = {
      ...minimal,
      visible_boi: "Cooks.",
      voice: { regster: "blunt" },
      voice_samples: [{ text: "Hm.", situatoin: "rain" }],
      greeting: { bubbles: ["Hi."], alternatives: ["Oh."] },
      nothing_like_it: 1
    }
    expect(meantFields(CharacterCreate, raw, CharacterCreate.parse(raw))).toEqual({
      visible_boi: "visible_bio",
      "voice.regster": "voice.register",
      "voice_samples[0].situatoin": "voice_samples[0].situation",
      "greeting.alternatives": "greeting.alternates"
    })
  })

  it("stops at fifty and shortens long keys", () => {
    const raw = {
      ...minimal,
      ...Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`${"k".repeat(200)}${index}`, 1]))
    }
    const ignored = ignoredFields(raw, CharacterCreate.parse(raw))
    expect(ignored).toHaveLength(50)
    expect(ignored[0]).toBe(`${"k".repeat(64)}...`)
  })

  it("takes little longer than listing the keys, however many there are", async () => {
    const json = JSON.stringify(Object.fromEntries(Array.from({ length: 49_000 }, (_, at) => [`f${at}`, 1])))
    const ratios: Array<number> = []
    for (let tries = 0; tries < 5; tries++) {
      const [one, other]: ReadonlyArray<object> = [JSON.parse(json), JSON.parse(json)]
      const { effortMs } = await effortOf(() => ignoredFields(one, minimal))
      ratios.push(effortMs / (await effortOf(() => Object.keys(other ?? {}))).effortMs)
    }
    expect(Math.min(...ratios)).toBeLessThan(2)
  })

  it("finds no difference between a value and itself or its copy", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(ignoredFields(value, structuredClone(value))).toEqual([])
      })
    )
  })
})
