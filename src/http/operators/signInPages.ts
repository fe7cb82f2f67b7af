import { type Html, html, page } from "#src/http/server/page.ts"
import { CODE_MINUTES } from "#src/db/operators/ConsoleCodes.ts"

export interface SignInWays {
  /** Whether there is an ADMIN_TOKEN. */
  readonly token: boolean
  /** Whether operators can sign in through the issuer. */
  readonly issuer: boolean
  /** Where to go afterwards. */
  readonly next: string
}

const SIGN_IN = "/console/sign-in"

/** What just happened: a problem, or that the operator has signed out. */
const noticeOf = (notice: string | null) => (notice === null ? null : html`<p class="mark" role="alert">${notice}</p>`)

const tokenForm = (next: string): Html =>
  html`<form method="post" action="${SIGN_IN}">
    <input type="hidden" name="next" value="${next}" />
    <label for="token">ADMIN_TOKEN</label>
    <input
      type="password"
      id="token"
      name="token"
      maxlength="1000"
      required
      autocomplete="current-password"
      spellcheck="false"
      autofocus
    />
    <button class="act" type="submit">Sign in</button>
  </form>`

/** All ways to sign in to the console that this server has. */
export const signInPage = ({ token, issuer, next }: SignInWays, notice: string | null): string =>
  page(
    "Sign in to the console",
    html` ${noticeOf(notice)}
      ${
        issuer
          ? html`<a class="act" href="${SIGN_IN}/issuer?next=${encodeURIComponent(next)}">Sign in with your account</a>`
          : null
      }
      ${token ? tokenForm(next) : null}
      <p class="soft">
        On the server's machine, <code>npm run -s troupe -- console</code> prints a link that signs you in.
        ${token || issuer ? null : html`There is no other way, because ADMIN_TOKEN and OPERATORS are not set.`}
      </p>`
  )

/** Shown for a moment: a browser sends the new cookie only with a request that one of our own pages makes. */
export const signedInPage = (next: string): string =>
  page("Signed in", html`<a class="act" href="${next}">Continue to the console</a>`)

export const codeOverPage = (): string =>
  page(
    "Link no longer valid",
    html` <p role="alert">
        A link signs in once, within ${String(CODE_MINUTES)} minutes. On the server's machine,
        <code>npm run -s troupe -- console</code> prints a new one.
      </p>
      <a class="act" href="${SIGN_IN}">Other ways to sign in</a>`
  )

export const signInProblemPage = (title: string, problem: string): string =>
  page(
    title,
    html` <p role="alert">${problem}</p>
      <a class="act" href="${SIGN_IN}">Sign in</a>`
  )
