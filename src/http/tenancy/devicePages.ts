import { SCOPES } from "#src/accounts/scopes.ts"
import type { Approval } from "#src/db/tenancy/DeviceApprovals.ts"
import { type Html, html, page } from "#src/http/server/page.ts"

const problemOf = (problem: string | null) =>
  problem === null ? null : html`<p class="problem" role="alert">${problem}</p>`

/** The page for entering the code that a program shows. */
export const codePage = (userCode: string, problem: string | null): string =>
  page(
    "Connect a program",
    html` ${problemOf(problem)}
      <form method="post" action="/device">
        <label for="user_code">Code shown by the program</label>
        <input
          class="code"
          type="text"
          id="user_code"
          name="user_code"
          value="${userCode}"
          placeholder="XXXXX-XXXXX"
          maxlength="20"
          required
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          autofocus
        />
        <button class="act" type="submit">Continue</button>
      </form>
      <p class="soft">Continue only if you started the program yourself.</p>`
  )

const named = (client: string): Html => html`<b><bdi>${client}</bdi></b>`

export const signInPage = ({ client_name }: Approval, development: boolean): string =>
  page(
    "Sign in to continue",
    html` <p>
        A program that calls itself ${named(client_name)} requests access to your account. Sign in to see what it
        requests and to decide.
      </p>
      ${development ? html`<p class="mark">Development sign-in: you need a code from the server's console.</p>` : null}
      <a class="act" href="/device/sign-in">Sign in</a>
      <p class="soft">If you didn't start this program, close this page.</p>`
  )

const whoIs = ({ name, email }: NonNullable<Approval["account"]>): string =>
  name !== null && email !== null && name !== email ? `${name} (${email})` : (name ?? email ?? "an unnamed account")

export const approvalPage = (
  { client_name, scopes }: Approval,
  account: NonNullable<Approval["account"]>,
  csrf: string
): string =>
  page(
    "Allow access?",
    html` <p>A program that calls itself ${named(client_name)} requests permission to:</p>
      <ul>
        ${scopes.map((scope) => html`<li>${SCOPES[scope]}</li>`)}
      </ul>
      <p>
        You are signed in as <b><bdi>${whoIs(account)}</bdi></b
        >. <a href="/device/sign-in?again=1">Use another account</a>
      </p>
      <p class="soft">
        Approve this only if you started the program yourself. Access lasts 30 days, and you can revoke it at any time.
      </p>
      <form method="post" action="/device/decision">
        <input type="hidden" name="csrf" value="${csrf}" />
        <button class="act" type="submit" name="decision" value="approved">Approve</button>
        <button class="act quiet" type="submit" name="decision" value="denied">Deny</button>
      </form>`
  )

export const decidedPage = (client: string, approved: boolean): string =>
  approved
    ? page("Approved", html`<p>${named(client)} now has access. You can close this page and return to the program.</p>`)
    : page("Denied", html`<p>${named(client)} did not get access. You can close this page.</p>`)

export const problemPage = (title: string, problem: string): string =>
  page(
    title,
    html` <p role="alert">${problem}</p>
      <a class="act" href="/device">Enter a code</a>`
  )

/** The sign-in of the development issuer. */
export const developmentSignInPage = (action: string, problem: string | null): string =>
  page(
    "Development sign-in",
    html` <p class="mark">
        For development only. The server has printed a code on the console where it was started. Anyone who can read
        it can sign in under any name.
      </p>
      ${problemOf(problem)}
      <form method="post" action="${action}">
        <label for="code">Code on the server's console</label>
        <input
          class="code"
          type="text"
          id="code"
          name="code"
          placeholder="XXXX-XXXX"
          maxlength="20"
          required
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          autofocus
        />
        <label for="name">Sign in as</label>
        <input
          type="text"
          id="name"
          name="name"
          value="developer"
          maxlength="60"
          required
          autocomplete="off"
          spellcheck="false"
        />
        <button class="act" type="submit">Sign in</button>
      </form>
      <p class="soft">To use a real sign-in, set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET.</p>`
  )
