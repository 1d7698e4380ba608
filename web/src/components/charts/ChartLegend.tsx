import { Tooltip, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './Chart.module.css';

interface Entry {
  readonly key: string;
  readonly name: string;
  readonly colour: string;
  /** If set, the legend is a table. */
  readonly value?: string;
}

interface ChartLegendProps {
  readonly entries: readonly Entry[];
  /** Keys of the visible series. */
  readonly shown?: readonly string[];
  readonly onToggle?: (key: string, isAdding: boolean) => void;
}

/** The colour legend; a press isolates one series. */
export function ChartLegend({ entries, shown, onToggle }: ChartLegendProps) {
  const { t } = useTranslation();
  const isTable = entries.some(({ value }) => value !== undefined);
  const content = ({ name, colour, value }: Entry) => (
    <>
      <span className={classes.dot} style={{ background: colour }} />
      <span className={classes.name}>{name}</span>
      {value !== undefined && <span className={classes.value}>{value}</span>}
    </>
  );
  if (onToggle === undefined) {
    return (
      <div className={`${classes.legend} ${isTable ? classes.table : ''}`}>
        {entries.map((entry) => (
          <span key={entry.key} className={classes.entry}>
            {content(entry)}
          </span>
        ))}
      </div>
    );
  }
  return (
    <div className={classes.legend}>
      {entries.map((entry) => {
        const isShown = shown === undefined || shown.includes(entry.key);
        return (
          <Tooltip key={entry.key} label={t('part.chart.legendHint')} openDelay={800}>
            <UnstyledButton
              className={classes.entry}
              aria-pressed={isShown}
              data-off={!isShown || undefined}
              onClick={(event) => onToggle(entry.key, event.shiftKey)}
            >
              {content(entry)}
            </UnstyledButton>
          </Tooltip>
        );
      })}
    </div>
  );
}
