/** Details of a usage log entry. */

import { LOG_TYPE } from '../../domain/logs/log-types.ts';
import { priceDetailOf } from '../../domain/pricing/log-price.ts';
import { priceText } from '../../domain/pricing/quota-text.ts';
import { numberText } from '../../domain/text/number-text.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { oneLine } from '../../session/text.ts';
import type { Line } from '../model/line.ts';
import { fieldLines, money, secondsText, timeText } from './format.ts';
import type { Log, Viewer } from './screen.ts';

/** One call in full: cost and its calculation, timing, route. */
export function logDetail(log: Log, viewer: Viewer): readonly Line[] {
  const { t } = viewer;
  const name = (key: string) => t(`tui.columns.${key}`);
  const other = parsedObject(log.other);
  const upstream = other.upstream_model_name;
  const model =
    typeof upstream === 'string' && upstream !== log.model_name
      ? `${log.model_name} → ${upstream}`
      : log.model_name;
  const speed =
    log.completion_tokens > 0 && log.use_time_ms > log.first_token_ms
      ? `${Math.round((log.completion_tokens * 1000) / (log.use_time_ms - log.first_token_ms))} tok/s`
      : '';
  return [
    [
      {
        text: `#${log.id}  ${log.username} / ${oneLine(log.token_name) || '-'} / ${model || '-'}`,
        tone: 'strong',
      },
      { text: log.group === '' ? '' : `  ${name('group')} ${log.group}` },
    ],
    ...priceLines(log, other, viewer),
    ...fieldLines(viewer, [
      ['time', timeText(log.created_at)],
      ['content', oneLine(log.content), log.type === LOG_TYPE.error ? 'bad' : 'plain'],
      [
        'duration',
        [
          secondsText(log.use_time_ms),
          log.first_token_ms > 0
            ? `${t('tui.words.first_token')} ${secondsText(log.first_token_ms)}`
            : '',
          speed,
        ]
          .filter(Boolean)
          .join('   '),
      ],
      ['channel', log.channel > 0 ? `#${log.channel} ${oneLine(log.channel_name)}` : ''],
      ['usage_source', log.usage_source],
      ['request', log.request_id],
      ['ip', log.client_ip ?? ''],
    ]),
  ];
}

/** Recalculates the cost from recorded prices and tokens, by the same arithmetic as the console. */
function priceLines(
  log: Log,
  other: Readonly<Record<string, unknown>>,
  viewer: Viewer,
): readonly Line[] {
  const { t, quotaPerUnit } = viewer;
  const price = priceDetailOf(log, other, quotaPerUnit);
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
