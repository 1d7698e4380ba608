/** The dashboard as items: totals without their charts, then costs, slow channels and errors. */
import { oneLine } from '../../session/text.ts';
import {
  channelsByLatency,
  costTexts,
  countTexts,
  type DashboardData,
  figuresOf,
} from '../screens/dashboard.ts';
import { money, secondsText, shortTime } from '../screens/format.ts';
import type { Log, Viewer } from '../screens/screen.ts';
import { asSentence, type Field, type Item, item, listed } from './item.ts';

export function errorKey({ request_id, id }: Log): string {
  return `error:${id}:${request_id}`;
}

export function dashboardItems(data: DashboardData, viewer: Viewer): readonly Item[] {
  const { t } = viewer;
  const { overview, errors } = data;
  const figures = figuresOf(data, viewer).map(({ name, value }) =>
    item(`figure:${name}`, '', [{ name, value }]),
  );
  return [
    ...figures,
    item('cost', listed(costTexts(data, viewer), t)),
    ...countTexts(data, viewer).map((text, index) => item(`count:${index}`, asSentence(text, t))),
    ...(overview.is_complete ? [] : [item('incomplete', t('tui.figures.incomplete'))]),
    ...panel('top_models', overview.models, viewer, ({ model_name, quota }) => [
      { name: model_name, value: money(quota, viewer) },
    ]),
    ...panel('slow_channels', channelsByLatency(overview), viewer, (channel) => [
      {
        name: oneLine(channel.channel_name) || `#${channel.channel}`,
        value: listed(
          [secondsText(channel.p95 ?? 0), `${(channel.success_rate * 100).toFixed(0)}%`],
          t,
        ),
      },
    ]),
    item('title:recent_errors', t('tui.figures.recent_errors')),
    ...errors.map((error) => item(errorKey(error), errorText(error, viewer))),
    ...(errors.length === 0 ? [item('none:recent_errors', t('tui.messages.nothing'))] : []),
  ];
}

/** A title and its rows, with the field names of their values. */
function panel<Row>(
  name: string,
  rows: readonly Row[],
  { t }: Viewer,
  fieldsOf: (row: Row) => readonly Field[],
): readonly Item[] {
  const title = item(`title:${name}`, t(`tui.figures.${name}`));
  if (rows.length === 0) return [title, item(`none:${name}`, t('tui.messages.nothing'))];
  return [
    title,
    ...rows.map((row) => {
      const fields = fieldsOf(row);
      return item(`${name}:${fields[0]?.name}`, '', fields);
    }),
  ];
}

function errorText({ created_at, channel, model_name, content }: Log, viewer: Viewer): string {
  const { t } = viewer;
  const where = channel > 0 ? `${t('tui.speech.columns.channel')} ${channel}` : '';
  return listed([shortTime(created_at, viewer), where, model_name, oneLine(content)], t);
}
