import type { ProactiveControls } from "../domain/Character.ts"

type Field = keyof ProactiveControls
/** Every control with a value: what holds for a session. */
export type EffectiveControls = { readonly [F in Field]: NonNullable<ProactiveControls[F]> }
/** Who has set a control. `app` is what holds where neither session nor character says otherwise. */
export type ControlSource = "session" | "character" | "app"

/**
 * What holds where nobody has said otherwise: a character does not write first, and once it may, it does so sparingly.
 */
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

/** Each control (contract 2.6) by the nearest that sets it: the session, its character, the app. Null falls through. */
export const controlsOf = (
  session: Given,
  character: Given
): { readonly effective: EffectiveControls; readonly sources: Readonly<Record<Field, ControlSource>> } => {
  const sourceOf = (field: Field): ControlSource =>
    session[field] != null ? "session" : character[field] != null ? "character" : "app"
  return {
    // Field by field of one type, which a loop cannot tell the compiler.
    effective: Object.fromEntries(
      CONTROL_FIELDS.map((field) => [field, session[field] ?? character[field] ?? DEFAULT_CONTROLS[field]])
    ) as unknown as EffectiveControls,
    sources: Object.fromEntries(CONTROL_FIELDS.map((field) => [field, sourceOf(field)])) as Record<Field, ControlSource>
  }
}

/**
 * Whether there is any use in asking when the character may write first. At a tolerance of 0 it never does, whatever
 * else is set.
 */
export const isOn = ({ proactive_enabled, proactivity_tolerance }: EffectiveControls): boolean =>
  proactive_enabled && proactivity_tolerance > 0
