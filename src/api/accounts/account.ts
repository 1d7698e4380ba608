/** The caller's own account: registration, sign-in, profile and settings. */
import * as z from 'zod/mini';
import { MODEL_ENDPOINTS } from '../../domain/channels/model-endpoints.ts';
import { LANGUAGES } from '../../domain/languages.ts';
import { NOTIFY_KINDS } from '../../domain/notification-kinds.ts';
import { call, PageQuery, pageSchema } from '../call.ts';
import { Count, Flag, OwnPassword, TimeZone } from '../fields.ts';
import { DisplayName, Email, Password, User, Username } from './user.ts';

/** A password entered for verification: only its length is limited, to bound the work. */
const TypedPassword = z.string().check(z.maxLength(1000));
const EmailAddress = Email.check(z.minLength(1));
const Code = z.string().check(z.trim(), z.minLength(1), z.maxLength(64));

export const SignedIn = z.pick(User, {
  id: true,
  username: true,
  display_name: true,
  role: true,
  status: true,
  group: true,
});

export const Self = z.extend(User, {
  /** JSON text with the fields of `UserSetting`, without the webhook's secret. */
  setting: z.string(),
  /** False for an account that only signs in through external providers. */
  has_password: z.boolean(),
  has_webhook_secret: z.boolean(),
  /** Epoch seconds since when notifications do not reach the chosen receiver; 0 while they do. */
  notice_failing_since: z.int(),
  /** Why the latest one did not, in the language of the caller. */
  notice_failure: z.string(),
  /** Whether an access token for the management API exists. */
  has_access_token: z.boolean(),
});

/** Only the fields sent are written; empty ones keep their value. */
const SelfEdit = z.object({
  username: z.optional(z.union([z.literal(''), Username])),
  display_name: z.optional(DisplayName),
  password: z.optional(z.union([z.literal(''), Password])),
  /** Current password; required to set a new one, except in a session under ten minutes old. */
  original_password: OwnPassword,
});

const HourOfDay = z.int().check(z.minimum(0), z.maximum(23));

/** Only the fields sent are written. */
export const UserSetting = z.object({
  notify_type: z.optional(z.enum(NOTIFY_KINDS)),
  /** Quota units. */
  quota_warning_threshold: z.optional(Count.check(z.positive())),
  /** Of a webhook, or of the service that `notify_type` names. */
  webhook_url: z.optional(z.string().check(z.trim(), z.maxLength(2000))),
  /** Empty keeps the stored secret, null removes it. */
  webhook_secret: z.optional(z.nullable(z.string().check(z.maxLength(500)))),
  /** From and to are hours of the day in the time zone; null = none. */
  quiet_hours: z.optional(
    z.nullable(z.object({ from: HourOfDay, to: HourOfDay, time_zone: TimeZone })),
  ),
  /**
   * A digest each Monday morning in the time zone, '' for that of the site. Null: none. Absent: that
   * of the site for super administrators, none for others.
   */
  weekly_digest: z.optional(z.nullable(z.object({ time_zone: TimeZone }))),
  /** Empty means the account's own email address. */
  notification_email: z.optional(Email),
  /** Whether models without a price may be called, at the fallback ratio. */
  accept_unset_model_ratio_model: z.optional(z.boolean()),
  show_ip_in_logs: z.optional(z.boolean()),
  /** Of messages, mails and notifications; null means that of the client, else of the site. */
  language: z.optional(z.nullable(z.enum(LANGUAGES))),
});

const Session = z.object({
  /** Identifies the row in lists; not a credential. */
  id: z.string(),
  /** Epoch seconds, like the next two. */
  created_at: z.int(),
  seen_at: z.int(),
  expires_at: z.int(),
  address: z.string(),
  user_agent: z.string(),
  /** The session of this request. */
  current: z.boolean(),
});

/** Group name -> the group's ratio and label. */
/** `auto` has no ratio: the ratio of the group that serves a call applies. */
const Groups = z.record(z.string(), z.object({ ratio: z.optional(z.number()), desc: z.string() }));

const exposed = { critical: true } as const;

const signingIn = {
  register: call.guest('POST /api/user/register', {
    ...exposed,
    captcha: true,
    summary: 'Registers an account with a password, and signs it in',
    input: z.object({
      username: Username,
      password: Password,
      password2: z.optional(TypedPassword),
      email: z.optional(Email),
      verification_code: z.optional(z.string().check(z.trim(), z.maxLength(64))),
      aff_code: z.optional(z.string().check(z.trim(), z.maxLength(32))),
    }),
  }),
  login: call.guest('POST /api/user/login', {
    ...exposed,
    captcha: true,
    summary: 'Signs in with a name or e-mail address and a password',
    input: z.object({
      username: z.string().check(z.trim(), z.minLength(1), z.maxLength(254)),
      password: TypedPassword.check(z.minLength(1)),
    }),
    reply: SignedIn,
  }),
  logout: call.guest('GET /api/user/logout', {
    also: ['POST /api/user/logout'],
    changesData: true,
    summary: 'Ends the session of this browser',
  }),
  sendCode: call.guest('GET /api/verification', {
    ...exposed,
    captcha: true,
    changesData: true,
    summary: 'Sends a mail with a code that verifies an e-mail address',
    input: z.object({ email: EmailAddress }),
  }),
  requestReset: call.guest('GET /api/reset_password', {
    ...exposed,
    captcha: true,
    changesData: true,
    summary: 'Sends a mail with a link to set a new password, if the address is registered',
    input: z.object({ email: EmailAddress }),
  }),
  resetPassword: call.guest('POST /api/user/reset', {
    ...exposed,
    summary: 'Sets a new password with the token of a mailed link',
    input: z.object({
      email: EmailAddress,
      token: Code,
      /** If absent, the gateway generates one and returns it. */
      password: z.optional(z.union([z.literal(''), Password])),
    }),
    /** The generated password, or ''. */
    reply: z.string(),
  }),
  bindEmail: call.user('GET /api/oauth/email/bind', {
    also: ['POST /api/oauth/email/bind'],
    critical: true,
    sessionOnly: true,
    changesData: true,
    summary: 'Binds an e-mail address with the code sent to it',
    input: z.object({ email: EmailAddress, code: Code }),
  }),
};

const owning = {
  self: call.user('GET /api/user/self', {
    summary: "Shows the caller's account",
    reply: Self,
  }),
  editSelf: call.user('PUT /api/user/self', {
    summary: "Changes username, display name or password of the caller's account",
    input: SelfEdit,
    reply: Self,
  }),
  closeSelf: call.user('DELETE /api/user/self', {
    summary: "Closes the caller's account",
    input: z.object({ password: OwnPassword }),
  }),
  confirm: call.user('POST /api/user/confirm', {
    sessionOnly: true,
    summary: 'Confirms the password; calls that require it are allowed for ten minutes',
    input: z.object({ password: TypedPassword.check(z.minLength(1, 'must not be empty')) }),
  }),
  offeredGroups: call.guest('GET /api/user/groups', {
    summary: 'Shows the groups that every user may choose',
    reply: Groups,
  }),
  groups: call.user('GET /api/user/self/groups', {
    summary: 'Shows the groups that the caller may choose',
    reply: Groups,
  }),
  models: call.user('GET /api/user/models', {
    summary: 'Lists the models that the caller may use',
    input: z.object({
      /** Only models of this group; `auto` means those of its groups. */
      group: z.optional(z.string().check(z.maxLength(64))),
      endpoint: z.optional(z.enum(MODEL_ENDPOINTS)),
    }),
    reply: z.array(z.string()),
  }),
  newToken: call.user('GET /api/user/token', {
    also: ['POST /api/user/token'],
    sessionOnly: true,
    changesData: true,
    summary: 'Creates a new access token, which is shown once, and revokes the old one',
    reply: z.string(),
  }),
  endToken: call.user('DELETE /api/user/token', {
    summary: 'Revokes the access token',
  }),
  changeSetting: call.user('PUT /api/user/setting', {
    summary: 'Changes the given settings',
    input: UserSetting,
  }),
  sessions: call.user('GET /api/user/sessions', {
    summary: "Lists the browsers that are signed in to the caller's account",
    input: PageQuery,
    reply: pageSchema(Session),
  }),
  endSessions: call.user('POST /api/user/sessions/end', {
    summary: 'Ends all sessions of the caller',
    /** With `keep_current` this browser stays signed in. */
    input: z.object({ keep_current: z._default(Flag, false) }),
  }),
};

const earning = {
  affCode: call.user('GET /api/user/aff', {
    changesData: true,
    summary: 'Shows the invite code, and creates one if there is none',
    reply: z.string(),
  }),
  transferAff: call.user('POST /api/user/aff_transfer', {
    summary: 'Transfers invitation rewards to the balance',
    /** Quota units, at least one QuotaPerUnit. */
    input: z.object({ quota: z.int().check(z.positive()) }),
  }),
  checkInStatus: call.user('GET /api/user/check_in_status', {
    summary: 'Shows whether the caller may check in now, and the last check-ins',
    reply: z.object({
      can_check_in: z.boolean(),
      /** Epoch seconds of the check-ins of the last 100 days, newest first. */
      checked_in_at: z.array(z.int()),
    }),
  }),
  checkIn: call.user('POST /api/user/check_in', {
    summary: 'Checks in for today and grants quota',
    /** Quota units granted. */
    reply: z.object({ quota: z.int() }),
  }),
};

export const accountCalls = { ...signingIn, ...owning, ...earning };
