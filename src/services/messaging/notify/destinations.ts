/** Management of the destinations of the site's alerts, which are the option `AlertDestinations`. */
import type * as z from 'zod/mini';
import type { Actor, Service } from '../../../api/call.ts';
import type { Destination, destinationCalls } from '../../../api/messaging/destination.ts';
import type { Context } from '../../../context.ts';
import type { AlertDestination } from '../../../domain/alert-destinations.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import { invalidInput } from '../../../domain/errors/input-problems.ts';
import type { Language } from '../../../domain/languages.ts';
import { addressProblem } from '../../../domain/notification-kinds.ts';
import { storedText } from '../../../locales/event-text.ts';
import { alertStates, endAlert } from '../../../store/tables/alert-states-table.ts';
import { eventAudience } from '../../logs/audit.ts';
import { requirePublicUrl } from '../../network/egress.ts';
import { changeOptions, loadOptions } from '../../options/options.ts';
import { deliverNotification } from './deliver.ts';
import { notificationIn } from './notification.ts';
import { siteSubject, siteTarget } from './targets.ts';

type Calls = Service<typeof destinationCalls, Context>;
type View = z.input<typeof Destination>;
type Destinations = readonly AlertDestination[];

export const list: Calls['list'] = async (ctx, _actor, _input, { language }) =>
  views(ctx, await stored(ctx), language);

async function views(
  ctx: Context,
  destinations: Destinations,
  language: Language,
): Promise<View[]> {
  const subjects = destinations.map(({ name }) => siteSubject(name));
  const states = await alertStates(ctx.reads, 'receiver', subjects);
  const reader = eventAudience(ctx, language);
  return destinations.map(({ name, kind, address, secret = '', language = null }) => {
    const state = states.find(({ subject }) => subject === siteSubject(name));
    return {
      name,
      kind,
      address,
      language,
      has_secret: secret !== '',
      failing_since: state?.since_at ?? 0,
      failure: storedText(state?.note ?? '', reader),
    };
  });
}

/** @throws AppError destination_missing, input_invalid for a name that is taken or a bad address. */
export const save: Calls['save'] = async (ctx, actor, input, visit) => {
  const { before, secret, language, ...given } = input;
  await requireUsableAddress(ctx, given);
  await change(ctx, actor, (destinations) => {
    const old = before === undefined ? undefined : required(destinations, before);
    const others = destinations.filter((one) => one !== old);
    if (others.some(({ name }) => name === given.name))
      throw invalidInput('name', 'named_twice', { name: given.name });
    const kept = secret === undefined || secret === '' ? old?.secret : (secret ?? undefined);
    const next = {
      ...given,
      ...(kept !== undefined && { secret: kept }),
      ...(language !== null && { language }),
    };
    return old === undefined
      ? [...destinations, next]
      : destinations.map((one) => (one === old ? next : one));
  });
  for (const name of new Set([before ?? given.name, given.name]))
    await endAlert(ctx.db, 'receiver', siteSubject(name));
  const saved = required(await stored(ctx), given.name);
  const [view] = await views(ctx, [saved], visit.language);
  if (view === undefined) throw new AppError('internal');
  return view;
};

/** @throws AppError destination_missing */
export const remove: Calls['remove'] = async (ctx, actor, { name }) => {
  await change(ctx, actor, (destinations) => {
    const old = required(destinations, name);
    return destinations.filter((one) => one !== old);
  });
  await endAlert(ctx.db, 'receiver', siteSubject(name));
};

/** @throws AppError destination_missing, and as `deliverNotification`. */
export const test: Calls['test'] = async (ctx, _actor, { name }) => {
  const destination = required(await stored(ctx), name);
  const { receiver, reader, subject } = siteTarget(ctx, destination);
  const facts = { type: 'test', text: 'test', values: [ctx.options().get('SystemName')] } as const;
  await deliverNotification(ctx, receiver, notificationIn(reader, facts));
  await endAlert(ctx.db, 'receiver', subject);
  return { sent_to: destination.kind };
};

async function stored(ctx: Context): Promise<Destinations> {
  return (await loadOptions(ctx)).get('AlertDestinations');
}

/** Concurrent changes apply one after the other. */
function change(
  ctx: Context,
  actor: Actor,
  next: (destinations: Destinations) => Destinations,
): Promise<void> {
  return changeOptions(ctx, actor, async (_ctx, current) => [
    { key: 'AlertDestinations', value: JSON.stringify(next(current.get('AlertDestinations'))) },
  ]);
}

function required(destinations: Destinations, name: string): AlertDestination {
  const found = destinations.find((one) => one.name === name);
  if (found === undefined) throw new AppError('destination_missing', { name }, { param: 'name' });
  return found;
}

async function requireUsableAddress(
  ctx: Context,
  { kind, address }: Pick<AlertDestination, 'kind' | 'address'>,
): Promise<void> {
  const problem = addressProblem(kind, address);
  if (problem !== undefined) throw invalidInput('address', problem);
  if (kind !== 'email') await requirePublicUrl(ctx, address, 'address', { https: true });
}
