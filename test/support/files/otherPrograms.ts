import { picture, zipOf } from "./cards.ts"

export const AGNAI = {
  kind: "character",
  _id: "1",
  name: "Mara",
  description: "An innkeeper.",
  persona: {
    kind: "boostyle",
    attributes: { age: ["41"], personality: ["dry", "patient"], likes: ["soup", "rain"] }
  },
  greeting: "Evening, {{user}}.",
  alternateGreetings: ["You again."],
  scenario: "A rainy evening.",
  sampleChat: "{{user}}: Open?\n{{char}}: Always.",
  systemPrompt: "Write like a novel.",
  postHistoryInstructions: "Stay in character.",
  characterBook: {
    kind: "memory",
    name: "Places",
    entries: [{ name: "Inn", entry: "The inn is old.", keywords: ["inn"], enabled: true }]
  },
  tags: ["inn"],
  creator: "someone",
  avatar: "/assets/1.png",
  voice: { service: "none" }
}

export const PYGMALION_YAML = `# A character
name: 007
context: |-
  Mara keeps an inn: an old one.
  She is dry.
greeting: >-
  Evening.


  Sit down.
your_name: Anna
example_dialogue: |
  Anna: Open?
  007: Always.
`

export const FARADAY = {
  character: {
    aiName: "Mara",
    aiDisplayName: "Mara",
    aiPersona: "{character} keeps an inn.",
    basePrompt: "Write like a novel.",
    scenario: "{user} comes in.",
    firstMessage: "Evening, {user}.",
    customDialogue: "#{user}: Open?\n#{character}: Always.",
    loreItems: [{ key: "inn, tavern", value: "{character} owns the inn." }],
    model: "large",
    temperature: 1.2
  },
  version: 4
}

export const KOBOLD = {
  gamestarted: true,
  prompt: "It rains.",
  memory: "Mara keeps an inn.",
  authorsnote: "Write like a novel.",
  actions: ["The door opens."],
  temperature: 0.8,
  worldinfo: [
    { key: "inn, tavern", keysecondary: "night", content: "The inn is old.", selective: true, constant: false },
    { key: "river", keysecondary: "", content: "It is wide.", selective: false, constant: true, comment: "River" },
    { key: "rain", keyanti: "sun", content: "It is cold.", widisabled: true }
  ]
}

export const AI_DUNGEON = {
  title: "The river",
  description: "A story at an inn.",
  prompt: "It rains.",
  memory: "Mara keeps an inn.",
  authorsNote: "Write like a novel.",
  storyCards: [
    { keys: "inn, tavern", value: "The inn is old.", type: "location", title: "Inn" },
    { keys: "", entry: "Tomas is a guest.", type: "character", title: "Tomas" }
  ]
}

const CHARACTER = {
  schemaVersion: 1,
  id: "a",
  name: "Mara",
  displayName: "Mara of the river",
  isNSFW: true,
  persona: "{character} keeps an inn. She likes {user}.",
  loreItems: [{ key: "inn, tavern", value: "{character} owns the inn." }],
  images: [
    { path: "images/a.png", label: "main" },
    { path: "characters/a/images/b.png", label: "door" }
  ]
}
const SCENARIO = {
  schemaVersion: 1,
  formattingInstructions: "Write like a novel.",
  narrative: "{user} comes to the inn.",
  firstMessages: [{ characterID: "a", text: "Evening, {user}." }],
  exampleMessages: [{ characterID: "a", text: "#{user}: Open?\n#{character}: Always." }],
  temperature: 1.2,
  grammar: "root ::= x",
  messages: [{ type: "human", text: "Hi" }]
}

/** An archive of Backyard AI. */
export const backyard = async (): Promise<Buffer> =>
  zipOf({
    "manifest.json": {
      schemaVersion: 1,
      characters: ["characters/a/character.json", "characters/b/character.json"],
      scenarios: ["scenarios/scenario1.json", "scenarios/scenario2.json"]
    },
    "characters/a/character.json": CHARACTER,
    "characters/a/images/a.png": await picture(),
    "characters/a/images/b.png": await picture("png", 9, 9),
    "scenarios/scenario1.json": SCENARIO,
    "scenarios/scenario2.json": {
      narrative: "Later.",
      firstMessages: [{ characterID: "a", text: "The door is open." }]
    }
  })
