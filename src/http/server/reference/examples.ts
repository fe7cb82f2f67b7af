/** The slug of the character that the example of `createCharacter` makes. */
const SLUG = "mara-the-innkeeper"
const reason = { reason: "The end-user asked for it, ticket 4711" }
const loreEntry = { keys: ["lighthouse"], content: "The lighthouse at Kvalnes was built in 1891." }
const webhook = { kind: "webhook", url: "https://example.com/troupe", events: ["message.created", "session.exited"] }
/** A picture of one pixel. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const beats = [
  {
    key: "storm",
    summary: "A storm is coming.",
    enter_when: { all: [{ trigger: "festival.began" }] },
    next: ["dark"]
  },
  { key: "dark", summary: "The light has gone out.", enter_when: { all: [{ turns_gte: 3 }] } }
]
const cases = [
  { key: "greets", turns: [{ user: "Good evening!", expect: [{ type: "no_assistant_tells" }] }], tags: ["smoke"] }
]

/**
 * An example body for each operation whose schema has none, by operationId. A test sends each example of the document
 * and checks the answer. Ids, tokens and hashes that earlier answers return are made up here.
 */
export const EXAMPLES: Readonly<Record<string, object>> = {
  updateCharacter: { visible_bio: "Keeps the inn by the harbour." },
  replaceLore: { entries: [loreEntry] },
  createLoreEntry: loreEntry,
  replaceLoreEntry: { ...loreEntry, priority: 80 },
  createAsset: { kind: "avatar", label: "Mara at the door", content_base64: PIXEL, is_primary: true },
  updateAsset: { label: "Mara in the rain" },
  createImage: { character_slug: SLUG, kind: "selfie", prompt: "Waving from the pier, wind in the hair." },
  createImport: {
    format: "chara_card_v2",
    json: {
      spec: "chara_card_v2",
      spec_version: "2.0",
      data: {
        name: "Nils",
        description: "A ferryman who has seen every kind of weather.",
        personality: "dry, patient",
        scenario: "",
        first_mes: "Mind the step.",
        mes_example: "<START>\n{{user}}: Is it far?\n{{char}}: Far enough to finish a story."
      }
    }
  },
  commitImport: { content_hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", slug: "nils" },
  updateNpc: { summary: "Left for the sea at sixteen." },
  createEdge: {
    from: "place:Lisbon",
    to: "place:Kvalnes",
    relation: "lies south of",
    fact: "Lisbon lies far south of Kvalnes."
  },
  updateEdge: { strength: 0.9 },
  createStoryline: { title: "The lighthouse goes dark", status: "active", beats },
  updateStoryline: { premise: "Nobody knows who put out the light." },
  createArcInfluence: {
    kind: "mood",
    guidance: "Tired after the harvest; short answers, but kind.",
    effect: { valence: -0.1, arousal: -0.2 }
  },
  updateArcInfluence: { weight: 0.5 },
  createEvidence: {
    kind: "quote",
    text: "The lighthouse at Kvalnes was built in 1891.",
    source: { title: "Harbour chronicle" }
  },
  searchEvidence: { query: "lighthouse", limit: 5 },
  createResearch: {
    question: "When was the lighthouse built?",
    purpose: "canon",
    sources: [{ kind: "text", text: "The lighthouse at Kvalnes was built in 1891." }]
  },
  acceptFinding: {},
  createSession: {
    character_slug: SLUG,
    external_user_ref: "user-42",
    end_user: { display_name: "Nadia", timezone: "Europe/Lisbon" }
  },
  searchMemories: { query: "music", limit: 5 },
  updateOpenLoop: { status: "resolved" },
  scheduleProactiveMessage: { at: "2027-01-31T09:00:00Z", topic: "the chemistry exam" },
  updateProactiveControls: { proactivity_tolerance: 0.4, daily_initiate_cap: 2 },
  evaluateProactive: { dry_run: true },
  updateProactivePolicy: { quiet_hours: [{ from: "22:00", to: "08:00" }], daily_cap_per_end_user: 2 },
  updateProactivePreferences: { frequency: "less", topics_avoid: ["work"] },
  createSessionChannel: webhook,
  updateSessionChannel: { events: ["message.created"] },
  replaySessionChannel: { since: 0 },
  createAppChannel: webhook,
  updateAppChannel: { events: ["message.created"] },
  replayAppChannel: { since: 0 },
  createBot: { mode: "byo", token: "123456789:AAExampleExampleExampleExampleExample", character_slug: SLUG },
  updateBot: { unknown_policy: "resend_marked" },
  answerPreCheckout: { query_id: "4711", ok: true },
  createBotLink: { external_user_ref: "user-42" },
  createBotBatch: {
    action: "attach",
    bots: [{ token: "123456789:AAExampleExampleExampleExampleExample", character_slug: SLUG }],
    dry_run: true
  },
  createEvalSuite: { name: "Smoke", character_slug: SLUG, cases },
  updateEvalSuite: { name: "Smoke, every night" },
  createEvalRun: { engine: "offline", repeats: 2, max_cost_usd: 0 },
  regradeEvalRun: { max_cost_usd: 0 },
  updateEndUser: { display_name: "Nadia", timezone: "Europe/Lisbon" },
  createAlertChannel: { url: "https://example.com/alerts" },
  createOperatorApp: { name: "Harbour", monthly_budget_usd: 100 },
  suspendApp: reason,
  suspendFleetBot: reason,
  resumeFleetBot: reason,
  probeFleetBot: reason,
  rotateFleetBotSecret: reason,
  rotateFleetBotToken: reason,
  rebrandFleetBot: reason,
  createFleetBatch: { action: "suspend", filter: { all: true }, dry_run: true },
  pauseOperatorChannel: reason,
  resumeOperatorChannel: reason,
  replayOperatorChannel: { since: 0 },
  retryAttempt: reason,
  createRetryBatch: { filter: { since: "2026-01-01T00:00:00Z" }, dry_run: true },
  putHold: { app_id: "app_01J0000000000000000000TEST", ...reason },
  releaseHold: { app_id: "app_01J0000000000000000000TEST" },
  cancelTurn: reason,
  endSession: reason,
  createOperatorToken: { name: "Status board", role: "viewer", expires_in_days: 30 },
  updateApp: { expose_relational_numerics: true },
  revokeAccountToken: {},
  updateAccountApp: { name: "Harbour", environment: "live" },
  rotateApiKey: { grace_seconds: 3600 },
  fetchAccountToken: { device_code: "troupe-device-code" }
}
