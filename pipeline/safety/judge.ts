/** `soften`: gently, nothing that makes it worse. `refuse_in_voice`: the character declines. In a `crisis` the reply is ours, not the character's. */
export type SafetyAction = "allow" | "soften" | "refuse_in_voice" | "crisis"

/** What may be said back. */
export interface SafetyVerdict {
  readonly action: SafetyAction
}

const CRISIS = [
  /\b(kill|hurt|cut|harm)(ing)? my ?self\b/i,
  /\b(want|wanna|going|plan(ning)?) to (die|end my life|end it all)\b/i,
  /\bsuicid(e|al)\b/i,
  /\b(no|any) reason to (live|go on)\b/i,
  /\bich (will|möchte) (sterben|nicht mehr leben)\b/i,
  /\bmich (umbringen|ritzen|selbst verletzen)\b/i
]

/** Local rules, before any model: they hold in every mode and with every engine. */
export const judge = (text: string): SafetyVerdict => ({ action: CRISIS.some((pattern) => pattern.test(text)) ? "crisis" : "allow" })

/** Said plainly, out of voice, when someone may be in danger. */
export const CRISIS_BUBBLES: ReadonlyArray<string> = [
  "I'm stepping out of the story for a moment, because what you wrote matters more than it does.",
  "If you might hurt yourself or are in danger, please call your local emergency number now, or a crisis line near you: findahelpline.com lists them by country. You do not have to go through this alone."
]
