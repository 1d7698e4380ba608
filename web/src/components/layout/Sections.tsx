import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSectionInSight } from '../../hooks/useSectionInSight.ts';
import classes from './Sections.module.css';

interface SectionsProps {
  /** Names the list of links. */
  readonly label: string;
  readonly links: readonly {
    readonly name: string;
    readonly title: string;
    readonly isWrong?: boolean;
    /** Right of the title. */
    readonly mark?: ReactNode;
  }[];
  /** Beside a form: narrower, and shown on tablets too. */
  readonly isCompact?: boolean;
  /** The sections, with their names as `data-section`. */
  readonly children: ReactNode;
}

/** Sections below each other, and beside them a link to each. */
export function Sections({ label, links, isCompact = false, children }: SectionsProps) {
  const { holder, current, goTo } = useSectionInSight();
  return (
    <div className={classes.layout} data-compact={isCompact || undefined}>
      <nav className={classes.rail} aria-label={label}>
        {links.map(({ name, title, isWrong = false, mark }) => (
          <UnstyledButton
            key={name}
            className={classes.link}
            aria-current={current === name ? 'location' : undefined}
            data-invalid={isWrong || undefined}
            onClick={() => goTo(name)}
          >
            {title}
            {mark}
          </UnstyledButton>
        ))}
      </nav>
      <div className={classes.sections} ref={holder}>
        {children}
      </div>
    </div>
  );
}
