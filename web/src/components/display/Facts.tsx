import { Fragment, type ReactNode } from 'react';
import classes from './Facts.module.css';

interface FactsProps {
  /** Names and values; a fact without a value is left out. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** The fields of a record, with their names to the left. */
export function Facts({ facts }: FactsProps) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return (
    <dl className={classes.facts}>
      {known.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
