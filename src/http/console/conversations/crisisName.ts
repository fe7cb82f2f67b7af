const NAMES: Readonly<Record<string, string>> = {
  emergency: "medical emergency",
  danger: "danger from somebody",
  threat: "danger to others"
}

/** What a decision of the safety stage, such as `crisis+danger`, says about the person. */
export const crisisName = (decision: string): string =>
  decision
    .split("+")
    .map((kind) => NAMES[kind])
    .find((name) => name !== undefined) ?? "crisis"

/** The decision that found somebody in danger. Null: none did. */
export const crisisIn = (stages: ReadonlyArray<{ readonly stage: string; readonly decision: string | null }>) =>
  stages.find(
    ({ stage, decision }) => (stage === "safety" || stage === "grounding") && decision?.startsWith("crisis") === true
  )?.decision ?? null
