import { useTranslation } from 'react-i18next';
import { Empty } from '../../../components/layout/list-states.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { PAGE_FIELDS } from '../../../lib/browser/page-links.ts';
import { useUrlState } from '../../../lib/browser/url-state.ts';
import { StatementView } from './StatementView.tsx';

/** The statement of any account, for administrators. */
export function StatementPage() {
  const { t } = useTranslation();
  const { state, set } = useUrlState(PAGE_FIELDS['/admin/statement']);
  const { user, month } = state;
  const userId = Number(user);
  return (
    <>
      <PageHeader title={t('wallet.statement.title')} hint={t('wallet.statement.hint')} />
      {Number.isSafeInteger(userId) && userId > 0 ? (
        <StatementView userId={userId} month={month} onMonth={(month) => set({ month })} />
      ) : (
        <Empty title={t('wallet.statement.noUser')} />
      )}
    </>
  );
}
