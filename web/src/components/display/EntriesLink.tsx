import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { linkTo, type UrlStateOf } from '../../lib/browser/page-links.ts';
import classes from './EntriesLink.module.css';

interface EntriesLinkProps extends Partial<UrlStateOf<'/app/logs/api-usage'>> {
  readonly children: ReactNode;
}

/**
 * A figure that leads to the log entries that make it: by default the charges and refunds of all
 * time. Administrators see the entries of all accounts, so name the user of a figure of one account.
 */
export function EntriesLink({ children, ...filter }: EntriesLinkProps) {
  const to = linkTo('/app/logs/api-usage', { type: 'spend', from: 'all', ...filter });
  return (
    // The row around it does not open.
    <Link className={classes.link ?? ''} to={to} onClick={(event) => event.stopPropagation()}>
      {children}
    </Link>
  );
}
