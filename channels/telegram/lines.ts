/** The commands there are, as Telegram's menu shows them. */
export const COMMANDS = [
  { command: "start", description: "Begin, or begin again after an end" },
  { command: "reset", description: "Begin a new conversation" },
  { command: "stop", description: "End messages that you have not asked for" },
  { command: "forget", description: "Delete what is known of you" },
  { command: "help", description: "What there is" }
] as const

/** What a bot says that is not the character's: answers to commands, in plain words. */
export const LINES = {
  hello: (name: string) => `You are talking with ${name}. Say hello!`,
  already: "We are talking already: just write. /reset begins anew, /help says what else there is.",
  linked: "You are connected. Just go on where you left off.",
  linkSpent: "That link has been used or has run out. Ask for a new one where you got it.",
  linkPrivate: "That link is for one person. Open it in a chat with me alone.",
  nobodyHere: "There is nobody to talk to here right now. Please try again later.",
  left: "There is nobody to talk to here any more.",
  quiet: "All right: nothing comes from here any more unless you write first.",
  help: [
    "Just write, and you are answered.",
    ...COMMANDS.map(({ command, description }) => `/${command}: ${description}`)
  ].join("\n"),
  forgetSure:
    "This deletes for good all that you have told us, and all that was said to you, not only here. Send /forget " +
    "again within five minutes if that is what you want.",
  forgotten: "It is deleted. /start begins anew."
} as const
