/** Plans submissions to a Midjourney proxy: action, price name and upstream request. */

import { readWebUrl } from '../../domain/addresses/public-address.ts';
import { wrongField } from '../../domain/errors/field-errors.ts';
import type { OptionValues } from '../../domain/options/registry.ts';
import type { JsonObject } from '../../json/read-json.ts';
import { optionalText, requiredId, requiredList, requiredText } from './fields.ts';
import type { TaskPlan } from './task-provider.ts';

interface Asked {
  readonly action: string;
  /** The task it continues. */
  readonly origin?: TaskPlan['origin'];
  /** Used instead of the client's body. */
  readonly body?: JsonObject;
}

const USUAL_PRICE_USD = 0.1;
/** Free, because the modal that follows is charged instead. */
const FREE: ReadonlySet<string> = new Set(['INPAINT', 'CUSTOM_ZOOM']);

/** @throws AppError field_missing, field_wrong. */
export function planImageTask(name: string, sent: JsonObject, options: OptionValues): TaskPlan {
  const kind = KINDS[name];
  if (kind === undefined) throw wrongField('action', 'action_unknown');
  const { action, origin, body = sent } = kind.read(sent, options);
  const prompt = promptOf(body, options);
  return {
    action,
    model: action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`,
    usualPrice: FREE.has(action) ? 0 : USUAL_PRICE_USD,
    ...(origin === undefined ? {} : { origin }),
    texts: prompt === '' ? [] : [prompt],
    notifyHook: notifyHookOf(sent, options),
    columns: {
      prompt,
      state: stateOf(sent),
      custom_id: optionalText(sent, 'customId').slice(0, 255),
      bot_type: optionalText(sent, 'botType').slice(0, 32),
    },
    path: kind.path,
    body: cleared({ ...body, ...(prompt === '' ? {} : { prompt }) }, options),
  };
}

interface Kind {
  readonly path: string;
  read(body: JsonObject, options: OptionValues): Asked;
}

const KINDS: Readonly<Record<string, Kind>> = {
  imagine: submit('imagine', (body) => {
    requiredText(body, 'prompt');
    return { action: 'IMAGINE' };
  }),
  describe: submit('describe', () => ({ action: 'DESCRIBE' })),
  shorten: submit('shorten', () => ({ action: 'SHORTEN' })),
  blend: submit('blend', (body) => {
    requiredList(body, 'base64Array');
    return { action: 'BLEND' };
  }),
  upload: submit('upload-discord-images', (body) => {
    requiredList(body, 'base64Array');
    return { action: 'UPLOAD' };
  }),
  change: submit('change', (body, options) => ({
    action: changeAction(body),
    origin: originOf(requiredId(body, 'taskId'), options),
  })),
  simple_change: submit('simple-change', readSimpleChange),
  action: submit('action', (body, options) => ({
    action: buttonAction(requiredText(body, 'customId')),
    origin: originOf(requiredId(body, 'taskId'), options),
  })),
  modal: submit('modal', (body) => ({
    action: 'MODAL',
    // The original task waits for its modal, so it cannot have succeeded.
    origin: { publicId: requiredId(body, 'taskId'), mustHaveSucceeded: false },
  })),
  swap: {
    path: '/mj/insight-face/swap',
    read(body) {
      requiredText(body, 'sourceBase64');
      requiredText(body, 'targetBase64');
      return { action: 'SWAP_FACE' };
    },
  },
};

function submit(name: string, read: Kind['read']): Kind {
  return { path: `/mj/submit/${name}`, read };
}

function originOf(publicId: string, options: OptionValues): TaskPlan['origin'] {
  return { publicId, mustHaveSucceeded: options.get('MjActionCheckSuccessEnabled') };
}

const CHANGES: ReadonlySet<string> = new Set(['UPSCALE', 'VARIATION', 'REROLL']);

function changeAction(body: JsonObject): string {
  const action = requiredText(body, 'action').toUpperCase();
  if (!CHANGES.has(action))
    throw wrongField('action', 'not_choice', { choices: 'UPSCALE, VARIATION, REROLL' });
  if (action !== 'REROLL' && !isIndex(body.index))
    throw wrongField('index', 'int_out_of_range', { least: 1, most: 4 });
  return action;
}

function isIndex(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 4;
}

const SIMPLE_CHANGE = /^(\S+)\s+(?:([uv])[1-4]|r)$/i;

/** `<task id> U2`: upscale; V: variation; R: regenerate all four. */
function readSimpleChange(body: JsonObject, options: OptionValues): Asked {
  const content = requiredText(body, 'content').trim();
  const [, publicId, letter = 'r'] = SIMPLE_CHANGE.exec(content) ?? [];
  if (publicId === undefined) throw wrongField('content', 'not_change');
  const action = { u: 'UPSCALE', v: 'VARIATION', r: 'REROLL' }[letter.toLowerCase()] ?? 'REROLL';
  return { action, origin: originOf(publicId, options) };
}

/** Prefixes of button ids after `MJ::` or `MJ::JOB::`; more specific ones first. */
const BUTTONS: readonly (readonly [beginning: string, action: string])[] = [
  ['upsample', 'UPSCALE'],
  ['low_variation', 'LOW_VARIATION'],
  ['high_variation', 'HIGH_VARIATION'],
  ['variation', 'VARIATION'],
  ['pan_', 'PAN'],
  ['reroll', 'REROLL'],
  ['outpaint', 'ZOOM'],
  ['customzoom', 'CUSTOM_ZOOM'],
  ['inpaint', 'INPAINT'],
];

function buttonAction(customId: string): string {
  const [, button = ''] = /^MJ::(?:JOB::)?(\w+)/i.exec(customId) ?? [];
  const found = BUTTONS.find(([beginning]) => button.toLowerCase().startsWith(beginning));
  if (found === undefined) throw wrongField('customId', 'action_unknown');
  return found[1];
}

const MODES = /\s*--(?:fast|relax|turbo)\b/gi;

function promptOf(body: JsonObject, options: OptionValues): string {
  const prompt = optionalText(body, 'prompt');
  return options.get('MjModeClearEnabled') ? prompt.replace(MODES, '').trim() : prompt;
}

/** Clients put arbitrary text there; it is returned unchanged. */
function stateOf({ state = '' }: JsonObject): string {
  return typeof state === 'string' ? state : JSON.stringify(state);
}

function notifyHookOf(sent: JsonObject, options: OptionValues): string {
  if (!options.get('MjNotifyEnabled')) return '';
  const hook = optionalText(sent, 'notifyHook');
  const url = hook === '' ? undefined : readWebUrl(hook);
  if (typeof url === 'string') throw wrongField('notifyHook', url);
  return hook;
}

/** Removes the client's webhook URL, and the account filter unless the option allows it. */
function cleared(body: JsonObject, options: OptionValues): JsonObject {
  const { notifyHook: _, accountFilter, ...rest } = body;
  const mayChoose = options.get('MjAccountFilterEnabled') && accountFilter !== undefined;
  return mayChoose ? { ...rest, accountFilter } : rest;
}

/** Replaces the original task's id with the upstream's, wherever the body contains it. */
export function withOriginId(body: JsonObject, upstreamId: string): JsonObject {
  if (upstreamId === '') return body;
  const { content } = body;
  return {
    ...body,
    ...('taskId' in body ? { taskId: upstreamId } : {}),
    ...(typeof content === 'string'
      ? { content: content.trim().replace(/^\S+/, () => upstreamId) }
      : {}),
  };
}
