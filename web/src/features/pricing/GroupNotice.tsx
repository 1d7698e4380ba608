import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Notice } from '../../components/display/Notice.tsx';
import { ratioText } from '../../components/display/tag-lists.tsx';
import { useUser } from '../../lib/session/session.ts';
import classes from './Pricing.module.css';
import type { Prices } from './usePrices.ts';

/** The group of the prices shown, and its ratio. */
export function GroupNotice({ prices: { list, group } }: { readonly prices: Prices }) {
  const { t } = useTranslation();
  const user = useUser();
  const ratio = ratioText(list?.group_ratio[group] ?? 1);
  return (
    <div className={classes.notice}>
      {user === undefined ? (
        <Notice
          tone="blue"
          action={
            <Button component={Link} to="/login?returnTo=/pricing" size="xs" variant="default">
              {t('shell.signIn')}
            </Button>
          }
        >
          {t('pricing.guest', { group, ratio })}
        </Notice>
      ) : (
        <Notice tone="blue">
          {t(group === user.group ? 'pricing.own' : 'pricing.other', { group, ratio })}
        </Notice>
      )}
    </div>
  );
}
