import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { cardV2 } from "#test/support/files/cards.ts"
import { type FakeModel, start as startFakeModel } from "#test/support/model/FakeModel.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let model: FakeModel
let server: TestServer
let app: TestApp
beforeAll(async () => {
  model = await startFakeModel()
  server = await startTestServer({ env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini" } })
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await model.close()
})

/** A card that contains both names in every text field, in every notation that cards use. */
const AUTHORED = {
  slug: "ada",
  display_name: "Ada",
  visible_bio: "{{char}} keeps bees.",
  persona: {
    summary: "<BOT> met <USER> at the market; {{ Char }} will not say when.",
    traits: ["fond of {{user}}"],
    goals: [{ text: "See {{USER}} more." }],
    secrets: [{ text: "{{char}} once lied to {{user}}.", reveal: "never" }]
  },
  interests: [{ topic: "the bees of <char>", detail: "{{user}} helps." }],
  voice: { signature_phrases: ["my dear {{user}}"] },
  voice_samples: [{ text: "Mind the hives, <user>." }],
  example_dialogues: [{ user: "Is that you, {{char}}?", character: "Who else, {{user}}." }],
  forbidden_style: [{ kind: "topic", value: "the debts of {{bot}}" }],
  world_context: {
    summary: "{{char}}'s farm.",
    scene: "{{user}} stands at the gate.",
    entries: [{ keys: ["{{char}}'s hives"], content: "The hives of {{char}} stand where {{user}} left them." }]
  },
  relationship_posture: { boundaries: ["{{char}} lends {{user}} no money."] },
  greeting: "There you are, <USER>. It's <BOT>.",
  fallback_lines: ["Not now, {{user}}."]
}
const MACRO = /\{\{|<(?:bot|char|user)>/i

/** The model's prompts from here on, including those of the memory extraction. */
const toldIn = async (talk: () => Promise<unknown>) => {
  const [calls, readings] = [model.requests.length, model.extractions.length]
  await talk()
  await until("memory extraction", async () => (model.extractions.length > readings ? true : undefined))
  return [...model.requests.slice(calls), ...model.extractions.slice(readings)].map(({ messages }) =>
    messages.map(({ content }) => content).join("\n")
  )
}

describe("{{char}} and {{user}}", () => {
  beforeAll(async () => {
    assert.strictEqual((await app.post("/v1/characters", AUTHORED)).status, 200)
    const npc = await app.post("/v1/characters/ada/npcs", {
      name: "Tomas",
      role: "brother of {{char}}",
      summary: "Tomas has never met <USER>."
    })
    await app.post("/v1/characters/ada/graph/edges", {
      from: "character",
      to: npc.body.data.id,
      relation: "sister",
      fact: "{{char}} raised Tomas.",
      strength: 1
    })
    await app.post("/v1/characters/ada/storylines", {
      title: "Swarm",
      premise: "{{char}} loses a swarm.",
      status: "active",
      beats: [{ key: "begin", summary: "{{char}} tells {{user}}.", guidance: "Ask <USER> for help." }]
    })
    await app.post("/v1/characters/ada/arc-influences", {
      kind: "mood",
      guidance: "{{char}} frets about {{user}}.",
      weight: 1
    })
    await app.post("/v1/characters/ada/evidence", {
      kind: "author_note",
      text: "The hives of {{char}} were a gift from {{user}}."
    })
  })

  it("are the two names wherever a model reads them, and the person is addressed by name", async () => {
    const session = await app.createSession({ character_slug: "ada", end_user: { display_name: "Bo" } })
    assert.strictEqual((await app.events(session))[0]?.payload["text"], "There you are, Bo. It's Ada.")
    // The storyline starts with the memory extraction of the first turn.
    const told = [
      ...(await toldIn(() => app.converse(session, "How are Ada's hives? Are the bees well, and Tomas? I miss them."))),
      ...(await (async () => {
        await until(
          "the storyline to start",
          async () => (await app.get(`/v1/sessions/${session}/state`)).body.data.storyline ?? undefined
        )
        return toldIn(() => app.converse(session, "Were the hives a gift? Tomas said so."))
      })())
    ]
    const all = told.join("\n")
    assert.isFalse(
      told.some((text) => MACRO.test(text)),
      told.find((text) => MACRO.test(text))
    )
    for (const text of [
      "Ada keeps bees.",
      "Ada met Bo at the market; Ada will not say when.",
      "fond of Bo",
      "See Bo more.",
      "the bees of Ada",
      "my dear Bo",
      "Mind the hives, Bo.",
      "Is that you, Ada?",
      "Who else, Bo.",
      "the debts of Ada",
      "Ada's farm.",
      "Bo stands at the gate.",
      "The hives of Ada stand where Bo left them.",
      "Ada lends Bo no money.",
      "brother of Ada",
      "Tomas has never met Bo.",
      "Ada raised Tomas.",
      "Ada loses a swarm.",
      "Ada tells Bo.",
      "Ask Bo for help.",
      "Ada frets about Bo.",
      "The hives of Ada were a gift from Bo.",
      "Ada once lied to Bo."
    ])
      assert.include(all, JSON.stringify(text).slice(1, -1))
  })

  it('are "you" in speech and "the user" in descriptions if the name is unknown', async () => {
    const session = await app.createSession({ character_slug: "ada" })
    assert.strictEqual((await app.events(session))[0]?.payload["text"], "There you are, you. It's Ada.")
    const told = (await toldIn(() => app.converse(session, "How are the bees? I miss them."))).join("\n")
    assert.include(told, "Ada met the user at the market")
    assert.include(told, "Mind the hives, you.")
  })

  it("are kept in storage, so that an export contains what was imported", async () => {
    const {
      body: { data }
    } = await app.get("/v1/characters/ada")
    assert.deepInclude(data, {
      visible_bio: AUTHORED.visible_bio,
      greeting: AUTHORED.greeting,
      fallback_lines: AUTHORED.fallback_lines
    })
    assert.deepInclude(data.persona, { summary: AUTHORED.persona.summary })
    const { body: exported } = await app.get("/v1/characters/ada/export?format=bundle")
    assert.deepStrictEqual(
      [exported.character.persona.summary, exported.lore[0].keys, exported.evidence[0].text],
      [AUTHORED.persona.summary, ["{{char}}'s hives"], "The hives of {{char}} were a gift from {{user}}."]
    )
    const card = cardV2({
      name: "Ada",
      first_mes: "Hello {{user}}, {{char}} here.",
      description: "{{char}} waits for {{user}}.",
      mes_example: "<START>\n{{user}}: Hi\n{{char}}: Oh, {{user}}."
    })
    const staged = (await app.post("/v1/imports", { json: card, target_slug: "ada-2" })).body.data
    await app.post(`/v1/imports/${staged.id}/commit`, { content_hash: staged.content_hash })
    const { data: again } = (await app.get("/v1/characters/ada-2/export")).body
    assert.deepInclude(again, {
      first_mes: card.data.first_mes,
      description: card.data.description,
      mes_example: card.data.mes_example
    })
  })

  it("cannot be used for injection: a name is inserted once", async () => {
    const session = await app.createSession({
      character_slug: "ada",
      end_user: { display_name: "{{char}}</character>$&" }
    })
    assert.strictEqual(
      (await app.events(session))[0]?.payload["text"],
      "There you are, {{char}}</character>$&. It's Ada."
    )
    const told = await toldIn(() => app.converse(session, "How are the bees? I miss them."))
    assert.isFalse(told.some((text) => text.includes("</character>$&")))
  })
})

describe("choices, dice and conditions", () => {
  const card = cardV2({
    name: "Sel",
    description: "{{char}} keeps the lamp {{random:dry,lit}}.{{getvar::oil}}",
    first_mes:
      "{{random::Hey {{user}}::Hello}}, sit. {{// greet}}{{roll:d6}} of us know {{setvar::seen::1}}you.\n\n" +
      "{{#if {{user}}}}I know the name.\n\nDo I?{{else}}Who are you?{{/if}} {{lastMessage}}}} {{",
    mes_example: "<START>\n{{user}}: Hi\n{{char}}: {{pick::Mind the step.::Mind the rope.}}",
    character_book: { entries: [{ keys: ["lamp"], content: "The lamp burns {{random::oil::wax}} for {{user}}." }] }
  })
  const GREETING = /^(?:Hey Bo|Hello), sit\. [1-6] of us know you\.\nI know the name\.\n\nDo I\?$/

  beforeAll(async () => {
    const { data } = (await app.post("/v1/imports", { json: card, target_slug: "sel" })).body
    const removed = data.report.warnings.filter(({ code }: { code: string }) => code === "macro_removed")
    assert.includeMembers(
      removed.map(({ excerpt }: { excerpt: string }) => excerpt),
      ["{{getvar::oil}}", "{{setvar::seen::1}}", "{{lastMessage}}"]
    )
    const reviewed = (await app.patch(`/v1/imports/${data.id}`, { accept_warnings: ["macro_removed"] })).body.data
    const { status, body } = await app.post(`/v1/imports/${data.id}/commit`, { content_hash: reviewed.content_hash })
    assert.strictEqual(status, 200, JSON.stringify(body))
  })

  const askedWith = async (session: string, message: string) => {
    const before = model.requests.length
    await app.converse(session, message)
    return model.requests
      .slice(before)
      .flatMap(({ messages }) => messages.map(({ content }) => content))
      .join("\n")
  }

  it("of an imported card are filled in the greeting, the prompt and the lore, and stay so in a session", async () => {
    const greeted = new Set<string>()
    const ends = new Set<string>()
    for (let person = 0; person < 12; person++) {
      const session = await app.createSession({
        character_slug: "sel",
        external_user_ref: `bo-${person}`,
        end_user: { display_name: "Bo" }
      })
      const [first] = await app.events(session)
      const text = String(first?.payload["text"])
      assert.match(text.trim(), GREETING)
      greeted.add(text.slice(0, 5))
      ends.add(text.split("sit. ")[1]?.[0] ?? "")
      if (person > 1) continue
      const told = await askedWith(session, "Is the lamp lit?")
      assert.notMatch(told, MACRO)
      const again = await askedWith(session, "And the lamp now?")
      for (const facts of [
        /Sel keeps the lamp (?:dry|lit)\./,
        /Mind the (?:step|rope)\./,
        /burns (?:oil|wax) for Bo/
      ]) {
        assert.match(told, facts)
        assert.strictEqual(facts.exec(again)?.[0], facts.exec(told)?.[0])
      }
    }
    assert.strictEqual(greeted.size, 2)
    assert.isAbove(ends.size, 1)
  })

  it("do not reach a person with braces, in whatever the model replies", async () => {
    const session = await app.createSession({ character_slug: "sel", external_user_ref: "cy" })
    for (const [reply, shown] of [
      ["Hello {{user}}, I am {{ char }}.", "Hello you, I am Sel."],
      ["In Vue you write <p>{{ message }}</p>.", "In Vue you write <p>message</p>."],
      ["The rest }} is {{ lost.", "The rest  is  lost."]
    ] as const) {
      model.script({ kind: "ok", bubbles: [reply] })
      await app.converse(session, "How do you write it?")
      assert.strictEqual((await app.events(session)).at(-1)?.payload["text"], shown)
    }
  })

  it("that nobody imported are filled alike, and what is not known is left out", async () => {
    const character_slug = await app.createCharacter({
      greeting: "{{#if no}}Never.\n\nNever.{{else}}Evening.{{/if}}\n\n{{getvar::x}}\n\n{{random:a,{{random:b,c}}",
      fallback_lines: ["{{random::Hm::Well}}{{getvar::x}}."]
    })
    const session = await app.createSession({ character_slug })
    const bubbles = (await app.events(session))[0]?.payload["bubbles"]
    assert.strictEqual((bubbles as ReadonlyArray<string>)[0], "Evening.")
    assert.notMatch(JSON.stringify(bubbles), /\{\{|Never|getvar/)
  })
})
