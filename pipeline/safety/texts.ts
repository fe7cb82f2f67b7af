/** Said plainly, out of voice, when someone may be in danger. */
export const CRISIS_BUBBLES: ReadonlyArray<string> = [
  "I'm stepping out of the story for a moment, because what you wrote matters more than it does.",
  "If you might hurt yourself or are in danger, please call your local emergency number now, or a crisis line near you: findahelpline.com lists them by country. You do not have to go through this alone."
]
