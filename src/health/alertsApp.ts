/**
 * The app on whose operational log the alerts of the server stand: `migrations/0038_alerts.sql`. It has no key, and the
 * account of shadow apps owns it, so it is in no list. Its app-wide channels are the alert channels.
 */
export const ALERTS_APP = "evr_00000000000000000000A1ERTS"
