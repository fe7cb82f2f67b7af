export interface Tag {
  readonly name: string
  readonly description: string
  /** Its operations are not in the runtime reference at /docs. */
  readonly "x-scalar-ignore"?: true
}

/** The parts of the reference, in its order. */
export const tags: ReadonlyArray<Tag> = [
  { name: "App", description: "The app that a key belongs to" },
  { name: "Characters", description: "The characters that people talk to" },
  { name: "Imports", description: "Files of characters: staged, reviewed and committed" },
  { name: "Visual assets", description: "Pictures of a character, and how it looks" },
  {
    name: "World",
    description: "The world of a character: NPCs, relations between them, lore, storylines and arc influences"
  },
  { name: "Research", description: "Sources about a character, and findings from them" },
  { name: "Sessions", description: "Persistent threads between one person and one character" },
  { name: "Messages", description: "Messages from the end-user" },
  { name: "Events", description: "The ordered log of a session, with all its messages and changes" },
  {
    name: "Relationship",
    description:
      "What a character remembers about a person, with the quotes that support it, and their relationship scores"
  },
  { name: "Proactive", description: "Messages that a character sends unprompted" },
  { name: "Images", description: "Generated images" },
  { name: "End-users", description: "The people who talk to characters, identified by the app's own references" },
  { name: "Channels", description: "Channels that events are pushed to, and the status of each delivery" },
  { name: "Telegram", description: "Telegram bots, their chats, and batches of actions on many bots" },
  { name: "Evals", description: "Suites of cases that test a character, and their runs" },
  { name: "Observability", description: "Stages, costs and decisions of turns, and the health of the app" },
  { name: "MCP", description: "The Model Context Protocol, for agents" },
  { name: "Usage", description: "What the app has used, and the rates" },
  {
    name: "Account",
    description: "Apps and their runtime keys, managed with an account token instead of a key",
    "x-scalar-ignore": true
  },
  { name: "Operator", description: "Routes of the operator of this server", "x-scalar-ignore": true },
  { name: "Reference", description: "About this server" },
  {
    name: "Internal",
    description:
      "Routes for browsers, Telegram and viewers of images. Clients do not call them, and they are not part of " +
      "the supported API",
    "x-scalar-ignore": true
  }
]
