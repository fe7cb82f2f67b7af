import type { ProactiveControls } from "../domain/Character.ts"

type Field = keyof ProactiveControls
/** The controls of a session, each with a value. */
export type EffectiveControls = { readonly [F in Field]: NonNullable<ProactiveControls[F]> }
/** Where a control is set. `app` is the default if neither session nor character sets it. */
export type ControlSource = "session" | "character" | "app"

/** The defaults: a character does not write first. Once enabled, it does so sparingly. */
export const DEFAULT_CONTROLS: EffectiveControls = {
  proactive_enabled: false,
  proactivity_tolerance: 0.5,
  cold_initiate_enabled: true,
  session_resume_enabled: true,
  cold_initiate_min_idle_minutes: 720,
  session_resume_min_idle_minutes: 120,
  session_resume_max_unanswered_character_turns: 2,
  min_gap_between_initiate_minutes: 240,
  daily_initiate_cap: 2
}
export const CONTROL_FIELDS = Object.keys(DEFAULT_CONTROLS) as ReadonlyArray<Field>

type Given = { readonly [F in Field]?: ProactiveControls[F] | undefined }

/** Each control (contract 2.6) from the first of session, character and app that sets it. Null counts as not set. */
export const controlsOf = (
  session: Given,
  character: Given
): { readonly effective: EffectiveControls; readonly sources: Readonly<Record<Field, ControlSource>> } => {
  const sourceOf = (field: Field): ControlSource =>
    session[field] != null ? "session" : character[field] != null ? "character" : "app"
  return {
    // The compiler cannot check a loop over fields of different types.
    effective: Object.fromEntries(
      CONTROL_FIELDS.map((field) => [field, session[field] ?? character[field] ?? DEFAULT_CONTROLS[field]])
    ) as unknown as EffectiveControls,
    sources: Object.fromEntries(CONTROL_FIELDS.map((field) => [field, sourceOf(field)])) as Record<Field, ControlSource>
  }
}

/**
 * Whether the character can write first at all. At a tolerance of 0 it never does, regardless of the other controls.
 */
export const isOn = ({ proactive_enabled, proactivity_tolerance }: EffectiveControls): boolean =>
  proactive_enabled && proactivity_tolerance > 0
