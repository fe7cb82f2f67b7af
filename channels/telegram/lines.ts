/** The commands as Telegram's menu shows them. */
export const COMMANDS = [
  { command: "start", description: "Start or continue the conversation" },
  { command: "reset", description: "Start a new conversation" },
  { command: "stop", description: "Stop unprompted messages" },
  { command: "forget", description: "Delete my data" },
  { command: "help", description: "Show commands" }
] as const

/** Service replies of a bot, which are not the character's: answers to commands, in plain words. */
export const LINES = {
  hello: (name: string) => `You're talking to ${name}. Say hello!`,
  already: "We're already talking, so just write. Send /reset to start over or /help to see all commands.",
  fresh: "A new conversation has begun. Just write.",
  linked: "You're connected. Just pick up where you left off.",
  linkSpent: "This link has expired or has already been used. Please get a new one where you got this one.",
  linkPrivate: "This link is for one person only. Open it in a private chat with me.",
  nobodyHere: "There is nobody to talk to right now. Please try again later.",
  left: "There is nobody here to talk to anymore.",
  quiet: "All right. You won't get any more messages unless you write first.",
  help: [
    "Just write a message to get a reply.",
    ...COMMANDS.map(({ command, description }) => `/${command}: ${description}`)
  ].join("\n"),
  forgetSure:
    "This permanently deletes everything you have told us and everything we have sent you, not only in this chat. " +
    "To confirm, send /forget again within five minutes.",
  forgotten: "Your data has been deleted. Send /start to start over."
} as const
