import type { ChannelEvidence, LaneEvidence, UnknownEvidence } from "./Evidence.ts"
import { AFTER_MS, FAILURES_IN_A_ROW } from "./limits.ts"
import { ALERTS_APP } from "./alertsApp.ts"
import { appStep, iso, operatorStep, type Problem, type Subject } from "./Problem.ts"

const isBot = (kind: string | null) => kind?.startsWith("telegram_") === true

const subjectOf = (of: {
  readonly app_id: string
  readonly channel_id: string
  readonly kind: string | null
}): Subject => ({
  app_id: of.app_id,
  ...(isBot(of.kind) ? { bot_id: of.channel_id } : { channel_id: of.channel_id })
})

const isOfAlerts = ({ app_id }: ChannelEvidence) => app_id === ALERTS_APP

const channelPath = ({ app_id, session_id, channel_id }: ChannelEvidence) =>
  session_id === null
    ? `/v1/apps/${app_id}/channels/${channel_id}`
    : `/v1/sessions/${session_id}/channels/${channel_id}`

/** How the last attempt failed, in words. */
const causeOf = ({ last_status_code: status, last_error_code: code }: ChannelEvidence) => {
  if (status === 401 || status === 403)
    return `The endpoint answers ${status}: it does not accept our signature or secret`
  if (status === 404 || status === 410) return `The endpoint answers ${status}: it no longer exists`
  if (status !== null && status >= 500) return `The endpoint answers ${status}: the receiving server has an error`
  if (status !== null) return `The endpoint answers ${status}`
  return code === null ? "The endpoint does not accept events" : `The endpoint cannot be reached (${code})`
}

/** Somebody chose it, but nobody else notices that alerts do not arrive. */
const pausedAlerts = (channel: ChannelEvidence): Problem => ({
  kind: "alert_channel_paused",
  severity: "warning",
  subject: subjectOf(channel),
  since: iso(channel.status_since),
  count: 1,
  reach: 0,
  evidence: { status: channel.status, last_success_at: iso(channel.last_success_at) },
  cause: "An operator has paused the channel, so no alert arrives through it",
  next_step: operatorStep(
    "POST",
    `/admin/alert-channels/${channel.channel_id}/resume`,
    "Resume the channel, which sends the alerts that wait, or delete it"
  )
})

/** What is wrong with a push channel, if anything. */
export const channelProblems = (channel: ChannelEvidence): ReadonlyArray<Problem> => {
  const { kind, status, failing_since, consecutive_failures: failures } = channel
  if (status === "paused") return isOfAlerts(channel) ? [pausedAlerts(channel)] : []
  const isDisabled = status === "disabled"
  // A bot whose channel is disabled is revoked, which is a problem of its own.
  if (isDisabled ? isBot(kind) : failures < FAILURES_IN_A_ROW && status !== "failing") return []
  const at = channelPath(channel)
  return [
    {
      kind: isBot(kind) ? "bot_sends_failing" : isDisabled ? "webhook_disabled" : "webhook_failing",
      severity: isDisabled || status === "failing" ? "critical" : "warning",
      subject: { ...subjectOf(channel), ...(channel.session_id !== null && { session_id: channel.session_id }) },
      since: iso(failing_since ?? channel.status_since),
      count: Math.max(1, failures),
      // Alerts are for operators.
      reach: isOfAlerts(channel) ? 0 : channel.reach,
      evidence: {
        status,
        consecutive_failures: failures,
        last_success_at: iso(channel.last_success_at),
        last_failure_at: iso(channel.last_failure_at),
        last_status_code: channel.last_status_code,
        last_error_code: channel.last_error_code
      },
      cause: isBot(kind) ? "Telegram does not accept the bot's messages, or cannot be reached" : causeOf(channel),
      next_step: isOfAlerts(channel)
        ? operatorStep(
            "POST",
            `/admin/alert-channels/${channel.channel_id}/${isDisabled ? "resume" : "test"}`,
            "Fix the endpoint, so that alerts arrive"
          )
        : isBot(kind)
          ? appStep("POST", `/v1/telegram/bots/${channel.channel_id}/probe`, "Ask Telegram about the bot now")
          : isDisabled
            ? appStep("POST", `${at}/resume`, "Fix the endpoint, then resume the channel: nothing was lost")
            : appStep(
                "POST",
                `${at}/resume`,
                "Fix the endpoint, then resume the channel, which sends what waits at once"
              )
    }
  ]
}

/** Events that should have left a while ago. */
export const laneProblems = (lane: LaneEvidence, now: Date): ReadonlyArray<Problem> => {
  const age = now.getTime() - lane.oldest_due_at.getTime()
  if (age < AFTER_MS.laneOld) return []
  return [
    {
      kind: "lane_old",
      severity: "warning",
      subject: subjectOf(lane),
      since: iso(lane.oldest_due_at),
      count: lane.lanes,
      reach: lane.lanes,
      evidence: { lanes: lane.lanes, oldest_age_seconds: Math.round(age / 1000) },
      cause:
        "Events are ready but not sent: no worker is running, the channel's pace is too low, or the receiver is slow",
      next_step: appStep("GET", "/v1/health", "Look at the workers, then at how fast the receiver answers")
    }
  ]
}

/** Deliveries that may or may not have arrived. */
export const unknownProblems = (unknown: UnknownEvidence): ReadonlyArray<Problem> => [
  {
    kind: "deliveries_unknown",
    severity: "warning",
    subject: subjectOf(unknown),
    since: iso(unknown.first_at),
    count: unknown.deliveries,
    reach: unknown.reach,
    evidence: { deliveries: unknown.deliveries, session_id: unknown.session_id },
    cause: "The connection broke while a message was being sent, so it is unknown whether it arrived",
    next_step: appStep(
      "GET",
      `/v1/sessions/${unknown.session_id}/delivery?channel_id=${unknown.channel_id}`,
      "Look at the deliveries, and retry those that did not arrive"
    )
  }
]
