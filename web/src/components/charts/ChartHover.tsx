import { useTranslation } from 'react-i18next';
import classes from './Chart.module.css';

interface ChartHoverProps {
  readonly label: string;
  readonly entries: readonly {
    readonly key: string;
    readonly name: string;
    readonly colour: string;
    readonly value: number;
  }[];
  readonly format: (value: number) => string;
  /** Whether a sum of the series is meaningful. */
  readonly hasTotal: boolean;
}

const MOST = 10;

/** Tooltip with every series at one point of the axis, largest first. */
export function ChartHover({ label, entries, format, hasTotal }: ChartHoverProps) {
  const { t } = useTranslation();
  const present = entries.filter(({ value }) => value !== 0 || !hasTotal);
  const sorted = [...present].sort((a, b) => b.value - a.value).slice(0, MOST);
  const total = entries.reduce((sum, { value }) => sum + value, 0);
  return (
    <div className={`${classes.hover} ${classes.table}`}>
      <strong>{label}</strong>
      {sorted.map(({ key, name, colour, value }) => (
        <div key={key} className={classes.entry}>
          <span className={classes.dot} style={{ background: colour }} />
          <span className={classes.name}>{name}</span>
          <span className={classes.value}>{format(value)}</span>
        </div>
      ))}
      {hasTotal && (
        <div className={classes.total}>
          <span>{t('part.chart.total')}</span>
          <span>{format(total)}</span>
        </div>
      )}
    </div>
  );
}
