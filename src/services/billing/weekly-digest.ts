/** Sends each account that wants it, super administrators and the site's destinations the digest of a week. */
import { type Context, nowSec } from '../../context.ts';
import { type DigestWeek, digestWeekAt } from '../../domain/digest-week.ts';
import { DAY_SEC } from '../../domain/logs/months.ts';
import { ROLES } from '../../domain/roles.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { textIn } from '../../json/read-json.ts';
import { enabledFailingIds } from '../../store/tables/channel-outcomes-table.ts';
import { channelNamesOf } from '../../store/tables/channels-table.ts';
import { type DigestReader, digestReaders } from '../../store/tables/notices-table.ts';
import { countNewUsers } from '../../store/tables/users-table.ts';
import { offsetsFor } from '../dashboard/local-hours.ts';
import { quotaAmountText } from '../logs/audit.ts';
import { countNewEntries } from '../logs/hourly-aggregates.ts';
import type { NotificationFacts } from '../messaging/notify/notification.ts';
import { sendToDestinations, sendToUser } from '../messaging/notify/send.ts';
import { modelLines, type WeekSums, weekOf } from './week-sums.ts';

const TYPE = 'weekly_digest';
/** Less than a week, as the clock may be set forward; more than the Monday on which it is sent. */
const LIMIT = { count: 1, windowSec: 6 * DAY_SEC, keepsFailed: true } as const;
const BATCH_USERS = 200;
/** A receiver that does not answer must not hold up the others. */
const AT_A_TIME = 8;

/** Once a week for each receiver, on any number of nodes. May run any number of times. */
export async function sendDigests(ctx: Context, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await countNewEntries(ctx);
  const site = siteDigests(ctx);
  const week = digestWeekAt(nowSec(ctx), offsetsFor({ time_zone: ctx.config.timeZone }));
  const facts = week && (await site(week));
  if (facts !== undefined) await sendToDestinations(ctx, facts, LIMIT, signal);
  const sentBeforeSec = nowSec(ctx) - LIMIT.windowSec;
  for (let afterId = 0; ; ) {
    const readers = await digestReaders(ctx.reads, TYPE, {
      sentBeforeSec,
      afterId,
      limit: BATCH_USERS,
    });
    for (let at = 0; at < readers.length; at += AT_A_TIME) {
      signal.throwIfAborted();
      const part = readers.slice(at, at + AT_A_TIME);
      await Promise.all(part.map((reader) => sendDigest(ctx, reader, site, signal)));
    }
    const last = readers.at(-1);
    if (last === undefined) return;
    afterId = last.id;
  }
}

type SiteDigests = (week: DigestWeek) => Promise<NotificationFacts | undefined>;

async function sendDigest(
  ctx: Context,
  reader: DigestReader,
  site: SiteDigests,
  signal: AbortSignal,
): Promise<void> {
  const { weekly_digest: chosen } = parsedObject(reader.setting);
  const isOfSite = reader.role >= ROLES.super_admin;
  // Administrators of the site get it unless they turn it off.
  if (chosen === null || (chosen === undefined && !isOfSite)) return;
  const time_zone = textIn(chosen, 'time_zone') || ctx.config.timeZone;
  const week = digestWeekAt(nowSec(ctx), offsetsFor({ time_zone }));
  if (week === undefined) return;
  const facts = isOfSite ? await site(week) : await accountDigest(ctx, reader, week);
  if (facts !== undefined) await sendToUser(ctx, reader.id, facts, LIMIT, signal);
}

/** Undefined for an account without a call in both weeks. */
async function accountDigest(
  ctx: Context,
  { id, quota }: DigestReader,
  week: DigestWeek,
): Promise<NotificationFacts | undefined> {
  const sums = await weekOf(ctx, week, id);
  if (sums === undefined) return undefined;
  const values = [
    ...usageValues(ctx, week, sums),
    quotaAmountText(ctx, quota),
    `${ctx.options().get('ServerAddress')}/app/dashboard`,
  ];
  return { type: TYPE, text: TYPE, values };
}

/** The digests of the site, one for each week that readers of different time zones have. */
function siteDigests(ctx: Context): SiteDigests {
  const known = new Map<number, ReturnType<SiteDigests>>();
  return (week) => {
    const digest = known.get(week.fromSec) ?? siteDigest(ctx, week);
    known.set(week.fromSec, digest);
    return digest;
  };
}

async function siteDigest(ctx: Context, week: DigestWeek): Promise<NotificationFacts | undefined> {
  const sums = await weekOf(ctx, week);
  if (sums === undefined) return undefined;
  const failing = await enabledFailingIds(ctx.reads, ctx.now());
  const names = await channelNamesOf(ctx.reads, failing);
  const values = [
    ...usageValues(ctx, week, sums),
    String(await countNewUsers(ctx.reads, week)),
    failing.map((id) => `${names.get(id) ?? ''} (#${id})`).join(', ') || '-',
    `${ctx.options().get('ServerAddress')}/app/dashboard`,
  ];
  return { type: TYPE, text: 'site_digest', values };
}

function usageValues(ctx: Context, { firstDay, lastDay }: DigestWeek, sums: WeekSums): string[] {
  const { charges, refunds, calls, before } = sums;
  const net = charges - refunds;
  return [
    firstDay,
    lastDay,
    quotaAmountText(ctx, net),
    changeText(net, before),
    quotaAmountText(ctx, charges),
    quotaAmountText(ctx, refunds),
    String(calls),
    modelLines(ctx, sums) || '-',
  ];
}

/** `+12 %`; `-` if nothing was spent before. */
function changeText(net: number, before: number): string {
  if (before <= 0) return '-';
  const percent = Math.round(((net - before) * 100) / before);
  return `${percent > 0 ? '+' : ''}${percent} %`;
}
