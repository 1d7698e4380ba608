/** The dashboard as sentences: figures without their curves, then what costs, is slow, went wrong. */
import { oneLine } from '../../session/text.ts';
import type { DashboardData } from '../screens/dashboard.ts';
import type { Log, Reader } from '../screens/screen.ts';
import { money, secondsText, shortTime } from '../screens/words.ts';
import { costTexts, countTexts, figuresOf, slowest } from '../view/dashboard.ts';
import { asSpoken, type Field, listed, type Sentence, sentence } from './sentence.ts';

export function errorKey({ request_id, id }: Log): string {
  return `error:${id}:${request_id}`;
}

export function dashboardSentences(data: DashboardData, reader: Reader): readonly Sentence[] {
  const { t } = reader;
  const { overview, errors } = data;
  const figures = figuresOf(data, reader).map(({ name, value }) =>
    sentence(`figure:${name}`, '', [{ name, value }]),
  );
  return [
    ...figures,
    sentence('cost', listed(costTexts(data, reader))),
    ...countTexts(data, reader).map((text, index) => sentence(`count:${index}`, asSpoken(text))),
    ...panel('top_models', overview.models, reader, ({ model_name, quota }) => [
      { name: model_name, value: money(quota, reader) },
    ]),
    ...panel('slow_channels', slowest(overview), reader, (channel) => [
      {
        name: oneLine(channel.channel_name) || `#${channel.channel}`,
        value: listed([
          secondsText(channel.p95 ?? 0),
          `${(channel.success_rate * 100).toFixed(0)}%`,
        ]),
      },
    ]),
    sentence('title:recent_errors', t('tui.figures.recent_errors')),
    ...errors.map((error) => sentence(errorKey(error), errorText(error, reader))),
    ...(errors.length === 0 ? [sentence('none:recent_errors', t('tui.say.nothing'))] : []),
  ];
}

/** A title and the rows below it, each known by the name of its field. */
function panel<Row>(
  name: string,
  rows: readonly Row[],
  { t }: Reader,
  fieldsOf: (row: Row) => readonly Field[],
): readonly Sentence[] {
  const title = sentence(`title:${name}`, t(`tui.figures.${name}`));
  if (rows.length === 0) return [title, sentence(`none:${name}`, t('tui.say.nothing'))];
  return [
    title,
    ...rows.map((row) => {
      const fields = fieldsOf(row);
      return sentence(`${name}:${fields[0]?.name}`, '', fields);
    }),
  ];
}

function errorText({ created_at, channel, model_name, content }: Log, reader: Reader): string {
  const { t } = reader;
  const where = channel > 0 ? `${t('tui.speech.columns.channel')} ${channel}` : '';
  return listed([shortTime(created_at, reader), where, model_name, oneLine(content)]);
}
