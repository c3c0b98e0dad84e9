// The store as a single page: links and searches are fetched and put in place, and the address follows.
// Without this script everything works as whole pages.
(() => {
  const say = (words) => { document.getElementById("told").textContent = words; };

  const show = (html, address, remember) => {
    const next = new DOMParser().parseFromString(html, "text/html");
    for (const id of ["header", "main"]) {
      const fresh = next.getElementById(id);
      if (!fresh) return location.assign(address);
      document.getElementById(id).replaceWith(fresh);
    }
    document.title = next.title;
    if (remember) history.pushState(null, "", address);
    say("");
    scrollTo(0, 0);
  };

  const visit = async (address, remember) => {
    try {
      const answer = await fetch(address, { headers: { "x-part": "page" } });
      if (!answer.ok || answer.redirected) return location.assign(address);
      show(await answer.text(), address, remember);
    } catch {
      say("Something went wrong. Please try again.");
    }
  };

  const change = async (form) => {
    const button = form.querySelector("button:not([type=button])");
    button.disabled = true;
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        headers: { "x-requested-with": "store" },
        body: new URLSearchParams(new FormData(form)),
      });
      if (answer.status === 401) return location.assign("/sign-in?next=" + location.pathname);
      const told = await answer.json();
      if (told.error) return say(told.error);
      document.getElementById("count").textContent = told.count;
      if (location.pathname === "/cart") await visit("/cart", false);
      say(told.message);
    } catch {
      say("Something went wrong. Please try again.");
    } finally {
      button.disabled = false;
    }
  };

  document.addEventListener("click", (event) => {
    const { target } = event;
    const cookie = target.closest("[data-cookie]");
    if (cookie) {
      document.cookie = cookie.dataset.cookie + "; path=/; max-age=86400";
      cookie.closest("[role=dialog]").remove();
      return;
    }
    const step = target.closest("[data-step]");
    if (step) {
      const field = step.form.elements.quantity;
      field.value = Math.max(1, Math.min(Number(field.max), Number(field.value) + Number(step.dataset.step)));
      return;
    }
    const link = target.closest("a[href^='/']");
    if (!link || "whole" in link.dataset || event.ctrlKey || event.metaKey || event.button !== 0) return;
    event.preventDefault();
    visit(link.href, true);
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if ("whole" in form.dataset || form.closest("header") && form.id !== "search") return;
    if (form.id === "search") {
      event.preventDefault();
      visit("/search?" + new URLSearchParams(new FormData(form)), true);
    } else if (new URL(form.action).pathname.startsWith("/cart/")) {
      event.preventDefault();
      change(form);
    }
  });

  addEventListener("popstate", () => visit(location.href, false));
})();
