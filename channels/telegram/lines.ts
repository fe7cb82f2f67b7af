/** What a bot says that is not the character's: answers to commands, in plain words. */
export const LINES = {
  hello: (name: string) => `You are talking with ${name}. Say hello!`,
  already: "We are talking already: just write. /reset begins anew, /help says what else there is.",
  linked: "You are connected. Just go on where you left off.",
  linkSpent: "That link has been used or has run out. Ask for a new one where you got it.",
  quiet: "All right: nothing comes from here any more unless you write first.",
  help: [
    "Just write, and you are answered.",
    "/start begins, or begins again after an end",
    "/reset begins a new conversation",
    "/stop ends messages that you have not asked for",
    "/forget deletes what was said here",
    "/help shows this"
  ].join("\n"),
  forgetSure: "This deletes what was said here, for good. Send /forget again within five minutes if that is what you want.",
  forgotten: "It is deleted. /start begins anew.",
  away: "There is nobody here to talk to at the moment."
} as const
