// What pages of the hostile store do by themselves, also after the address changed without a load.
(() => {
  const act = () => {
    const offer = document.getElementById("offer");
    if (!offer || offer.dataset.done) return;
    offer.dataset.done = "yes";
    if (offer.dataset.go) location.assign(offer.dataset.go);
    if (offer.dataset.call) {
      fetch(offer.dataset.call, { method: "POST", mode: "no-cors", body: document.title }).catch(() => {});
      navigator.sendBeacon(offer.dataset.call, "seen");
      new WebSocket(offer.dataset.call.replace("http", "ws"));
    }
    if ("send" in offer.dataset) offer.submit();
  };
  new MutationObserver(act).observe(document.body, { childList: true, subtree: true });
  act();
})();
