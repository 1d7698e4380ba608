/** Details of a usage log entry. */

import { type LogFacts, readFacts } from '../../domain/logs/log-facts.ts';
import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { priceDetailOf } from '../../domain/pricing/log-price.ts';
import { priceText } from '../../domain/pricing/quota-text.ts';
import { numberText } from '../../domain/text/number-text.ts';
import { oneLine } from '../../session/text.ts';
import type { Line } from '../model/line.ts';
import { columnName, money, secondsText } from './format.ts';
import type { Log, Viewer } from './screen.ts';

/** Who called what, and what it cost by which calculation. */
export function logHead(log: Log, viewer: Viewer): readonly Line[] {
  const facts = readFacts(log.other);
  const { upstream_model_name: upstream = log.model_name } = facts;
  const model = upstream === log.model_name ? upstream : `${log.model_name} → ${upstream}`;
  const title = `#${log.id}  ${log.username} / ${oneLine(log.token_name) || '-'} / ${model || '-'}`;
  const group = log.group === '' ? '' : `  ${viewer.t('tui.columns.group')} ${log.group}`;
  const content = {
    text: oneLine(log.content),
    tone: log.type === LOG_TYPE.error ? 'bad' : 'plain',
  } as const;
  return [
    [{ text: title, tone: 'strong' }, { text: group }],
    ...priceLines(log, facts, viewer),
    ...(content.text === ''
      ? []
      : [[{ text: `${columnName('content', viewer)}  `, tone: 'dim' } as const, content]]),
  ];
}

/** The whole time and the time to the first token, which is empty if there was none. */
export function durations({ use_time_ms, first_token_ms }: Log): readonly [string, string] {
  return [secondsText(use_time_ms), first_token_ms > 0 ? secondsText(first_token_ms) : ''];
}

export function timingText(log: Log, { t }: Viewer): string {
  const { completion_tokens: tokens, use_time_ms, first_token_ms } = log;
  const [whole, first] = durations(log);
  const answeringMs = use_time_ms - first_token_ms;
  const speed = tokens > 0 && answeringMs > 0 ? Math.round((tokens * 1000) / answeringMs) : 0;
  return [
    whole,
    first && `${t('tui.words.first_token')} ${first}`,
    speed > 0 ? `${speed} tok/s` : '',
  ]
    .filter(Boolean)
    .join('   ');
}

/** Recalculates the cost from recorded prices and tokens, by the same arithmetic as the console. */
function priceLines(log: Log, facts: LogFacts, viewer: Viewer): readonly Line[] {
  const { t, quotaPerUnit } = viewer;
  const price = priceDetailOf(log, facts, quotaPerUnit);
  if (price === undefined) return [];
  const parts = price.lines.map(
    ({ kind, tokens, usdEach }) =>
      `${t(`tui.charges.${kind}`)} ${numberText(tokens)} x ${priceText(usdEach)}`,
  );
  const sum = money(price.units, viewer);
  return [
    [{ text: parts.join('   ') }],
    [
      {
        text: `x${price.groupRatio} = ${sum}   ${t('tui.words.charged')} ${money(log.quota, viewer)} `,
      },
      price.isAsCharged ? { text: 'ok', tone: 'good' } : { text: '!', tone: 'warn' },
    ],
  ];
}
