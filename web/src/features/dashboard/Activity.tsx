import { numberText } from '../../../../src/domain/text/number-text.ts';
import { Dimmed } from '../../components/display/Dimmed.tsx';
import '@mantine/charts/styles.layer.css';
import { Heatmap } from '@mantine/charts';
import { useTranslation } from 'react-i18next';
import { dateText } from '../../lib/text/dates.ts';
import type { Overview } from './calls.ts';

const COLOURS = [1, 2, 3, 4].map((level) => `var(--heat-${level})`);

/** The number of calls per day, as a heat map. */
export function Activity({ overview }: { readonly overview: Overview }) {
  const { t, i18n } = useTranslation();
  const days = Object.fromEntries(
    overview.series.map(({ start, calls }) => [dateText(start), calls]),
  );
  const active = overview.series.filter(({ calls }) => calls > 0).length;
  const total = numberText(overview.totals.calls);
  const summary = t('dashboard.activity.summary', { active, total });
  return (
    <div style={{ overflowX: 'auto' }}>
      <Heatmap
        role="img"
        aria-label={summary}
        data={days}
        startDate={dateText(overview.start)}
        endDate={dateText(overview.end - 1)}
        colors={COLOURS}
        rectSize={15}
        gap={3}
        withMonthLabels
        withWeekdayLabels
        withOutsideDates={false}
        monthLabels={months(i18n.language)}
        weekdayLabels={weekdays(i18n.language)}
        withTooltip
        getTooltipLabel={({ date, value }) =>
          t('dashboard.activity.day', { date, calls: numberText(value ?? 0) })
        }
      />
      <Dimmed mt="xs">{summary}</Dimmed>
    </div>
  );
}

function months(language: string): string[] {
  const words = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, month) => words.format(Date.UTC(2026, month, 15)));
}

/** From Sunday, as in the heat map; every other one, because there is no space for more. */
function weekdays(language: string): string[] {
  const words = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, day) =>
    day % 2 === 1 ? words.format(Date.UTC(2026, 0, 4 + day)) : '',
  );
}
