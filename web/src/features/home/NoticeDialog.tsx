import { Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { SiteContent } from '../../components/content/SiteContent.tsx';
import { noticeReading, useNotice } from '../../components/content/site-notice.ts';
import { field, useUrlState } from '../../lib/browser/url-state.ts';

const FIELDS = { notice: field.flag() };

/** Opens automatically once per text, and from `/?notice=true`. */
export function NoticeDialog() {
  const { t } = useTranslation();
  const { state, set } = useUrlState(FIELDS);
  const { data: text = '' } = useQuery(noticeReading);
  const { isNew, markRead } = useNotice(text);
  const close = () => {
    markRead();
    if (state.notice) set({ notice: false }, { replace: true });
  };
  return (
    <Modal
      opened={text.trim() !== '' && (isNew || state.notice)}
      onClose={close}
      title={t('home.notice')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <SiteContent text={text} title={t('home.notice')} />
    </Modal>
  );
}
